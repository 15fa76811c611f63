"""Verb draw: the file it writes."""


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
