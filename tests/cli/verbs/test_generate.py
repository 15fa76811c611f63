"""Verb generate: the files it names, and what it refuses."""

import pytest


@pytest.mark.usefixtures("cyclic")
def test_generate_refuses_a_network_that_can_deadlock(refusal, tmp_path):
    line = refusal(f"generate loop -o {tmp_path}/out")
    assert line.startswith("loop_nodes6_one_way: routing=one_way must be free of deadlock")
    assert not (tmp_path / "out").exists()


def test_generate_names_its_files_and_says_where_it_cannot_write(answer, run, refusal, tmp_path):
    folder = f"{tmp_path}/out"
    made = answer(f"generate moebius n=2 data_width=8 buffer_depth=2 -o {folder}")
    assert made["directory"] == folder
    assert made["files"] == [str(path) for path in made["files"] if path.startswith(folder)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        path.rpartition("/")[2] for path in made["files"]
    )
    status, out, _ = run(f"generate moebius n=2 data_width=8 buffer_depth=2 -o {folder}")
    assert (status, out.splitlines()) == (0, made["files"])
    (tmp_path / "file").write_text("")
    line = refusal(f"generate moebius n=2 -o {tmp_path}/file")
    assert "must be writable" in line
    assert str(tmp_path / "file") in line


def test_generate_writes_a_testbench_that_is_the_users_own(answer, tmp_path):
    made = answer(f"generate hypercube n=1 --name noc --testbench -o {tmp_path}")
    names = [path.rpartition("/")[2] for path in made["files"]]
    assert names[-3:] == ["test_noc.py", "run_noc.py", "Makefile"]
    (tmp_path / "Makefile").write_text("# mine")
    made = answer(f"generate hypercube n=1 --name noc --testbench -o {tmp_path}")
    assert len(made["files"]) == 4
    assert (tmp_path / "Makefile").read_text() == "# mine"
