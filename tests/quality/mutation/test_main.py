import json
import re

import pytest
from click.testing import CliRunner
from knotwork import Network
from knotwork.errors import CheckFailedError
from knotwork.formal import parts
from knotwork.parameters import ROUTER_PARAMETERS
from quality.mutation import __main__ as program
from quality.mutation import target_row as module
from quality.mutation.__main__ import MUTANTS
from quality.mutation.equivalence import Answer
from quality.mutation.judge import Verdict
from quality.mutation.mutants import Mutant, list_mutants
from quality.mutation.target_row import target_row, verilog_of
from quality.mutation.targets import REASONS, TARGETS, Target, stale_reasons

SMALL = Target("small", "hypercube:n=1,data_width=8,buffer_depth=2", "router")


def test_targets_are_modules_of_all_classes_of_routers():
    networks = [Network.from_word(target.net) for target in TARGETS]
    for target, network in zip(TARGETS, networks, strict=True):
        kinds = [kind.name for kind in network.router_kinds]
        assert target.is_tree or target.module in kinds + [part.name for part in parts(network)]
        assert target.is_tree == bool(network.collective_groups)
    assert {network.router_class for network in networks} == set(ROUTER_PARAMETERS)
    assert any(network.topology.is_one_way for network in networks)
    assert any(network.routing.broadcast is not None for network in networks)
    assert any(network.routing.virtual_channels > 1 for network in networks)
    with_credits = [network for network in networks if network.has_credits]
    assert any(network.has_multicast for network in with_credits)
    assert any(network.routing.escape_class is not None for network in with_credits)
    assert any(len(network.routing.other_ways) > 1 for network in with_credits)
    assert any(network.routing.draws > 1 for network in with_credits)
    assert any(network.loads_tables for network in with_credits)
    assert any(network.has_parity and network.hardware.is_monitored for network in with_credits)
    assert set(REASONS) <= {target.name for target in TARGETS}


def test_a_reason_of_a_fault_that_is_not_made_is_stale(mutants):
    first, second = (mutant.fault for mutant in mutants[:2])
    reasons = {first: "nobody looks", second: "", "inv at old[0]": "it was so"}
    assert stale_reasons(reasons, mutants) == {*reasons} - {first}
    assert stale_reasons({}, mutants) == set()


@pytest.mark.parametrize(
    "target",
    [target for target in TARGETS if target.name in REASONS],
    ids=lambda target: target.name,
)
def test_no_reason_is_stale(target):
    verilog = verilog_of(Network.from_word(target.net), target)
    made = list_mutants(verilog, target.module, count=MUTANTS)
    assert len(made) == MUTANTS
    assert stale_reasons(REASONS[target.name], made) == set()
    assert not any(re.search(r"\$|\b_\d+_", fault) for fault in REASONS[target.name])


@pytest.mark.slow
def test_a_row_adds_up_and_names_each_survivor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = target_row(SMALL, count=40, seed=1)
    assert row["made"] == 40
    assert row["killed"] == sum(row["kills"].values()) > 30
    assert row["made"] == row["killed"] + row["equivalent"] + len(row["survivors"])
    assert len(row["equivalents"]) == row["equivalent"]
    assert sum(row["assertions"].values()) == row["kills"].get("assertion", 0)


@pytest.mark.parametrize("sound", [True, False])
def test_survivors_have_their_reasons_unless_the_original_fails(monkeypatch, sound):
    known, new = (Mutant(n, "", f"inv at y[{n}]") for n in (1, 2))
    monkeypatch.setattr(module, "list_mutants", lambda *_, **__: [known, new])
    monkeypatch.setattr(module, "make_runs", lambda *_, **__: [])
    verdict = Verdict(-1, 0, "nothing") if sound else Verdict(0, 5, "late")
    monkeypatch.setattr(module, "judge", lambda *_: [verdict] * 3)
    monkeypatch.setattr(module, "decide", lambda *_: [Answer(False, "may show at y")] * 2)
    monkeypatch.setitem(module.REASONS, SMALL.name, {known.fault: "nobody looks at it"})
    if not sound:
        with pytest.raises(CheckFailedError) as error:
            target_row(SMALL, count=2, seed=1)
        assert str(error.value) == "small: the original must pass, not fail: late"
        return
    survivors = target_row(SMALL, count=2, seed=1)["survivors"]
    assert {one["reason"] for one in survivors} == {"may show at y"}
    assert [one["by_hand"] for one in survivors] == ["nobody looks at it", ""]


def test_the_report_is_left_after_each_router_and_keeps_the_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {"made": 4, "killed": 2, "equivalent": 1, "seconds": 1.0}
    made |= {"proofs": 2, "properties": {"order": 1, "grants": 0}}
    survivor = {"mutant": 2, "fault": "inv at A", "reason": "may show at y", "by_hand": ""}

    def row(target, **_):
        return {"name": target.name, **made, "survivors": [survivor]}

    def report():
        return json.loads((tmp_path / "build" / "mutate.json").read_text())

    monkeypatch.setattr(program, "target_row", row)
    done = CliRunner().invoke(program.main, ["ring"])
    assert (done.exit_code, [*tmp_path.iterdir()]) == (2, [])
    done = CliRunner().invoke(program.main, ["plain", "lcan", "--mutants", "3"])
    assert done.exit_code == 0
    for words in (
        *("lcan 2: inv at A: may show at y; no reason is known\n", "50.0%", "66.7%"),
        "plain: of 2 mutants, counterexamples to order 1, grants 0\n",
    ):
        assert words in done.output
    sums = {"made": 8, "killed": 4, "equivalent": 2}
    assert report().items() >= sums.items()
    assert report()["survivors"] == [{"router": name, **survivor} for name in ("plain", "lcan")]
    assert CliRunner().invoke(program.main, ["stage", "lcan"]).exit_code == 0
    assert [row["name"] for row in report()["routers"]] == ["plain", "stage", "lcan"]
    assert report()["made"] == 12
