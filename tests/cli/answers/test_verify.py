"""Verb verify: what it answers, its tables, what it refuses."""

import json
import re

import pytest
from knotwork.cli import main
from knotwork.cli.answers import verify as answers
from knotwork.formal import BOUNDED, FAILED, PROVEN, Result
from knotwork.formal import proofs as routers
from knotwork.parameters import ROUTER_PARAMETERS

NET = ["mesh", "x=2", "y=2", "data_width=8", "buffer_depth=2"]


def outcome(name, result, reason=""):
    return Result(
        name=name, text=f"says {name}", result=result, depth=3, seconds=0.5, reason=reason
    )


def answering(monkeypatch, *results, of="prove_router"):
    """Let the proofs of routers, or of parts, end like this; the list of what was proven."""
    proven = []

    def fake(network, module, verilog, **_):
        assert re.search(rf"module {module.name} ?\(", verilog)
        proven.append(module.name)
        yield from results

    monkeypatch.setattr(answers, of, fake)
    return proven


def test_json_has_the_promised_fields_and_a_failure_is_status_1(monkeypatch, capsys):
    proven = answering(monkeypatch, outcome("a", PROVEN), outcome("b", BOUNDED))
    assert main.run(["verify", *NET, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [
        {k: row[k] for k in ("name", "result", "depth", "seconds")} for row in answer["properties"]
    ] == [
        {"name": "a", "result": "proven", "depth": 3, "seconds": 0.5},
        {"name": "b", "result": "bounded", "depth": 3, "seconds": 0.5},
    ]
    assert [row["router"] for row in answer["properties"]] == proven * 2
    answering(monkeypatch, outcome("a", PROVEN), outcome("b", FAILED, "counterexample: x.py:1"))
    assert main.run(["verify", *NET]) == 1
    out = capsys.readouterr().out
    assert "says a" in out
    assert "says b; counterexample: x.py:1" in out


def test_all_kinds_one_of_them_and_parts_are_proven(monkeypatch, capsys):
    proven = answering(monkeypatch, outcome("a", PROVEN))
    assert main.run(["verify", *NET, "--all"]) == 0
    assert len(set(proven)) == len(proven) == 4  # the corners of a mesh differ
    one = proven[1]
    proven.clear()
    assert main.run(["verify", *NET, "--router", one]) == 0
    assert proven == [one]
    assert f"{one} (1 of 4 kinds of routers)" in " ".join(capsys.readouterr().out.split())
    answering(monkeypatch, outcome("a", PROVEN))
    proven = answering(monkeypatch, outcome("b", FAILED, "counterexample: x.py:1"), of="prove_part")
    assert main.run(["verify", *LCAN]) == 1
    assert proven == [f"{NAME}_interface", f"{NAME}_controller"]
    out = " ".join(capsys.readouterr().out.split())
    assert f"{NAME}_router_level0 (1 of 2 kinds of routers)" in out
    assert f"{NAME}_interface" in out
    proven.clear()
    assert main.run(["verify", *LCAN, "--router", "router_level1"]) == 0
    assert proven == []


LCAN = ["lcan", "d=2", "u=1", "levels=2"]
NAME = "lcan_d2_u1_levels2_interconnectcomplete"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["n=3"], ["ccc_n3_lc2_controller", "ccc_n3_lc2"]),
        (["n=5"], ["ccc_n5_lc2_controller"]),
        (["n=3", "words=2"], ["ccc_n3_lc2_words2_controller"]),
    ],
)
def test_small_networks_of_batches_are_proven_whole(words, names, monkeypatch, capsys):
    answering(monkeypatch, outcome("a", PROVEN))
    proven = answering(monkeypatch, outcome("b", PROVEN), of="prove_part")
    assert main.run(["verify", "ccc", "routing=lc2", *words, "--json"]) == 0
    assert proven == names
    rows = json.loads(capsys.readouterr().out)["properties"]
    assert [row["router"] for row in rows][-len(names) :] == names


def test_what_has_no_proof_is_refused(refusal):
    line = refusal("verify lcan d=2 u=2 levels=2 max_packet=65")
    assert line.startswith("lcan_")
    assert line.partition(": ")[2] == (
        "verify: it must have max_packet of at most 64, because other networks have no proofs yet"
    )


def test_what_has_no_proof_is_refused_before_its_work_is_estimated(refusal, monkeypatch):
    monkeypatch.setattr("knotwork.cli.options.report", pytest.fail)
    line = refusal("verify mesh x=4 y=4 router=deflection sequence_width=4 --all --json")
    assert line.partition(": ")[2] == (
        "verify: it must have sequence_width=0, because other networks have no proofs yet"
    )


def test_router_classes_have_proofs_and_a_router_that_is_not_there_is_refused(refusal):
    assert refusal("verify mesh x=2 y=2 --router none") == (
        "mesh_x2_y2: --router must be one of router_R_D, router_R_U, router_L_D, router_L_U, "
        "not 'none'"
    )
    assert refusal("verify mesh x=2 y=2 --router none --all") == (
        "verify: one of --router and --all must be given, not both"
    )
    assert routers.PROOFS.keys() == ROUTER_PARAMETERS.keys()
