"""Verb draw: the file it writes."""

import pytest
from knotwork.cli import main


def test_draw_writes_a_file_and_names_it(answer, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("draw moebius n=3")[:2] == (0, "build/moebius_n3_twist0.svg\n")
    assert (tmp_path / "build" / "moebius_n3_twist0.svg").read_text().startswith("<svg ")
    file = f"{tmp_path}/deep/route.svg"
    assert answer(f"draw moebius n=3 --route 1 @110 -o {file}") == {"file": file}
    assert "route 001 to 110" in (tmp_path / "deep" / "route.svg").read_text()
    file = f"{tmp_path}/multicast.svg"
    assert answer(f"draw moebius n=3 --multicast 1 @110,0,@111 -o {file}") == {"file": file}
    assert "multicast from 001 to 3 nodes" in (tmp_path / "multicast.svg").read_text()
    file = f"{tmp_path}/broadcast.svg"
    assert answer(f"draw wk w=3 levels=2 --broadcast @21 -o {file}") == {"file": file}
    assert "broadcast from 21 to 8 nodes" in (tmp_path / "broadcast.svg").read_text()
    file = f"{tmp_path}/order.svg"
    line = f"draw moebius n=3 --multicast 1 0,6 --order address -o {file}"
    assert answer(line) == {"file": file}
    assert "order=address" in (tmp_path / "order.svg").read_text()
    file = f"{tmp_path}/tree.svg"
    assert answer(f"draw moebius n=3 --tree @010 -o {file}") == {"file": file}
    assert "routing tree from 010 to 7 nodes" in (tmp_path / "tree.svg").read_text()
    file = f"{tmp_path}/unfolded.svg"
    assert answer(f"draw lcan d=2 u=2 levels=3 --unfolded -o {file}") == {"file": file}
    assert "unfolded at level 2: 5 stages" in (tmp_path / "unfolded.svg").read_text()
    assert answer(f"draw lcan d=2 u=2 levels=3 --unfolded --route 0 @010 -o {file}")
    assert "route 000 to 010: 4 of 5 stages" in (tmp_path / "unfolded.svg").read_text()


def test_the_suffix_says_the_kind_of_picture(run, tmp_path):
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF-")):
        file = tmp_path / f"a.{kind}"
        assert run(f"draw hypercube n=2 -o {file}") == (0, f"{file}\n", "")
        assert file.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "start"), [("", b"<svg "), ("--format png", b"\x89PNG"), ("--format pdf", b"%PDF-")]
)
def test_a_picture_goes_to_stdout(capfdbinary, tmp_path, monkeypatch, words, start):
    monkeypatch.chdir(tmp_path)
    assert main.run(f"draw hypercube n=2 -o - {words}".split()) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(start)
    assert err == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("-o a.jpg", "draw: FILE must be - or end in .svg, .png or .pdf, not 'a.jpg'"),
        ("-o - --json", "draw: --json must not go with -o -"),
        (
            "-o a.png --format png",
            "draw: --format must go with -o -; a file's suffix says it",
        ),
    ],
)
def test_where_a_picture_cannot_go_is_refused(refusal, words, complaint):
    assert refusal(f"draw hypercube n=2 {words}") == complaint


def test_steps_of_a_schedule_go_into_one_file_or_into_one_each(answer, tmp_path):
    (tmp_path / "m.csv").write_text("0,3\n0,2\n3,1\n")
    line = f"draw lcan d=2 u=2 levels=2 --messages {tmp_path}/m.csv -o {tmp_path}/s.svg"
    assert answer(line) == {"file": f"{tmp_path}/s.svg"}
    whole = (tmp_path / "s.svg").read_text()
    assert "network cycle 1 of 2: 2 circuits" in whole
    assert "network cycle 2 of 2: 1 circuit<" in whole
    files = [f"{tmp_path}/s_1.svg", f"{tmp_path}/s_2.svg"]
    assert answer(f"{line} --frames") == {"networks": [{"file": file} for file in files]}
    assert answer(f"{line} --step 2") == {"file": f"{tmp_path}/s.svg"}
    assert (tmp_path / "s.svg").read_text() == (tmp_path / "s_2.svg").read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            "--route 0 1 --permutation random",
            "draw: there must be one of --route, --multicast, --broadcast, --tree, --permutation "
            "and --messages, not several",
        ),
        ("--step 2", "draw: --step and --frames must go with --permutation or --messages"),
        ("--frames", "draw: --step and --frames must go with --permutation or --messages"),
        ("--permutation random --step 2 --frames", "draw: --step must not go with --frames"),
        ("--permutation random --frames -o -", "draw: --frames must not go with -o -"),
    ],
)
def test_what_steps_do_not_go_with_is_refused(refusal, words, complaint):
    assert refusal(f"draw hypercube n=2 {words}") == complaint
