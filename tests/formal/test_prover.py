"""Proofs of a small module: what is proven, bounded, false or vacuous, and what rests on what."""

import pytest
from helpers.counter import VERILOG, harness
from knotwork.errors import ToolError
from knotwork.formal import BOUNDED, FAILED, PROVEN, Property, prove, prover
from knotwork.tools import FailedRunError, run_tool


def proven(*properties, traces=None):
    return {one.name: one for one in prove("counter", VERILOG, harness, properties, traces=traces)}


def claims(name, value, **more):
    return Property(name=name, text=name, claim=lambda it: it.claim(value(it)), **more)


def never_wraps(it):
    return ~it.port("wrapped")


BELOW_SIX = claims("below_six", lambda it: it.port("count") < 6)


def test_an_invariant_is_proven():
    found = proven(BELOW_SIX)["below_six"]
    assert (found.result, found.reason) == (PROVEN, "")


def test_a_claim_that_is_true_but_not_inductive_is_bounded():
    one = claims("no_seven", lambda it: it.port("count") != 7, induction=1, depth=9)
    found = proven(one)["no_seven"]
    # From 6, which is never reached, one step leads to 7.
    assert (found.result, found.depth, found.reason) == (BOUNDED, 9, "")


def test_with_a_lemma_the_same_claim_is_proven():
    one = claims("no_seven", lambda it: it.port("count") != 7, lemmas=(BELOW_SIX,))
    found = proven(one)
    assert [*found] == ["below_six", "no_seven"]
    assert found["no_seven"].result == PROVEN


def test_a_false_claim_gives_its_place_and_a_trace(tmp_path):
    found = proven(claims("small", lambda it: it.port("count") < 3), traces=tmp_path / "new")
    assert found["small"].result == FAILED
    assert found["small"].reason.startswith("counterexample: test_prover.py:")
    assert (tmp_path / "new" / "small.vcd").exists()


def test_a_cover_that_is_never_reached_is_vacuous():
    one = Property(
        name="wraps", text="wraps", claim=lambda it: it.cover(it.port("wrapped")), cover=9
    )
    found = proven(one)["wraps"]
    assert found.result == FAILED
    assert found.reason.startswith("vacuous: test_prover.py:")
    assert found.reason.endswith("is not reached in 9 cycles")


def test_a_property_is_no_better_than_its_lemmas():
    false = claims("small", lambda it: it.port("count") < 3)
    bounded = claims("no_seven", lambda it: it.port("count") != 7, induction=1, depth=9)
    found = proven(
        claims("on_false", never_wraps, lemmas=(false,)),
        claims("on_bounded", never_wraps, lemmas=(BELOW_SIX, bounded)),
    )
    assert found["on_false"].result == FAILED
    assert found["on_false"].reason == "it rests on small, which failed"
    assert (found["on_bounded"].result, found["on_bounded"].depth) == (BOUNDED, 9)


def test_a_lack_of_a_solver_is_told(monkeypatch):
    def without(command, folder, **more):
        renamed = ["no-such-solver" if word == "yices" else word for word in command]
        return run_tool(renamed, folder, **more)

    monkeypatch.setattr(prover, "run_tool", without)
    with pytest.raises(
        ToolError, match="yosys-smtbmc: must come to an answer, but its last line is: "
    ):
        proven(BELOW_SIX)


def test_a_solver_that_dies_as_it_starts_is_asked_again(monkeypatch):
    runs = []

    def dies_first(command, folder, **more):
        runs.append(command)
        if runs.count(command) == 1:
            raise FailedRunError("yosys-smtbmc", "BrokenPipeError", "BrokenPipeError")
        return run_tool(command, folder, **more)

    monkeypatch.setattr(prover, "run_tool", dies_first)
    assert proven(BELOW_SIX)["below_six"].result == PROVEN
    assert len({*map(tuple, runs)}) == 3  # induction, first cycles, cover
    assert all(runs.count(command) > 1 for command in runs)
