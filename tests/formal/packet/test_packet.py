"""Packet routers: what is proven of them, and what makes the proofs fail."""

import re
from functools import cache

import pytest
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.errors import ToolError
from knotwork.formal import FAILED, PROVEN, prove_router, prover, router_properties
from knotwork.formal.packet.observed.arbiters import RegisteredArbiter
from knotwork.tools import run_tool

SLOW = pytest.mark.slow


def router(words):
    """Largest kind of router of a network, and its Verilog."""
    network = Network.from_words(words.split())
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    return network, kind, router_verilog(network, kind)


def outcomes(words):
    return {found.name: (found.result, found.reason) for found in prove_router(*router(words))}


def changed(verilog, before, after):
    assert before in verilog
    return verilog.replace(before, after)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("mesh x=2 y=2 data_width=8 buffer_depth=2", marks=pytest.mark.slow),
        "hypercube n=1 data_width=8 buffer_depth=2 pipeline=2",
    ],
)
def test_a_router_is_proven(words):
    network, kind, verilog = router(words)
    found = list(prove_router(network, kind, verilog))
    assert [one.name for one in found] == [one.name for one in router_properties(network, kind)]
    assert {one.name: (one.result, one.reason) for one in found} == {
        one.name: (PROVEN, "") for one in found
    }


def test_a_lack_of_a_solver_is_told(monkeypatch):
    def without(command, folder, **more):
        renamed = ["no-such-solver" if word == "yices" else word for word in command]
        return run_tool(renamed, folder, **more)

    monkeypatch.setattr(prover, "run_tool", without)
    network, kind, verilog = router("mesh x=2 y=2 data_width=8 buffer_depth=2")
    (first, *_) = router_properties(network, kind)
    with pytest.raises(ToolError, match="yosys-smtbmc: must come to an answer, but said: "):
        list(prove_router(network, kind, verilog, [first]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "mesh x=3 y=3",
        "wk w=3 levels=2 data_width=8 buffer_depth=2 broadcast=no",
        "hypercube n=4 buffer_depth=4",
        "torus x=4 y=4 data_width=8 buffer_depth=2",
        "mesh x=2 y=2 data_width=8 buffer_depth=2 virtual_channels=2",
        "hypercube n=3 pipeline=2",
        "mesh x=4 y=4 pipeline=2",
        "torus x=3 y=3 data_width=8 buffer_depth=2 pipeline=2",
        "mesh x=2 y=2 data_width=8 buffer_depth=2 virtual_channels=2 pipeline=2",
    ],
)
def test_larger_routers_are_proven(words):
    found = outcomes(words)
    assert found == dict.fromkeys(found, (PROVEN, ""))


def is_found(words, before, after, breaks):
    network, kind, verilog = router(words)
    verilog = changed(verilog, before, after)
    wanted = next(one for one in router_properties(network, kind) if one.name == breaks)
    found = list(prove_router(network, kind, verilog, [wanted]))
    assert found[-1].result == FAILED
    assert re.fullmatch(r"counterexample: \w+\.py:\d+", found[-1].reason)


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("assign i__ready = ~ full;", "assign i__ready = 1'h1;", "buffers"),
        ("? back : i__payload;", "? i__payload : back;", "order_local_vc0"),
    ],
)
def test_a_fault_of_a_packet_router_is_found(before, after, breaks):
    is_found("mesh x=2 y=2 data_width=8 buffer_depth=2", before, after, breaks)


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # A channel is given on before its packet's tail.
        ("= taken & tail;", "= taken;", "ownership"),
        # Its last owner may have it again, though nothing waits there.
        pytest.param("asks = request & ", "asks = request | ", "ownership", marks=SLOW),
        # An output shows what its owner has not.
        pytest.param("granted = owns & present;", "granted = owns;", "crossing", marks=SLOW),
        # What it shows is the other input's.
        pytest.param(
            "eject__valid = | granted;", "eject__valid = granted[0];", "crossing", marks=SLOW
        ),
        # It has an owner and is free.
        ("| asks;", "| chosen[0:0];", "grants"),
    ],
)
def test_a_fault_of_registered_grants_is_found(before, after, breaks):
    is_found("hypercube n=1 data_width=8 buffer_depth=2 pipeline=2", before, after, breaks)


@pytest.mark.slow
def test_a_round_that_always_begins_with_the_same_is_found():
    # Of two it could not matter: whose tail goes is not asked again.
    words = "mesh x=2 y=2 data_width=8 buffer_depth=2 pipeline=2"
    is_found(words, "? grant : last;", "? last : last;", "progress")


@pytest.mark.parametrize("count", range(1, 7))
def test_a_wait_for_a_registered_grant_is_as_long_as_is_claimed(count):
    """From the arbiter's docstring: the longest of all ways that the others can ask.

    Who waits has number 0; `last` and `owner` tell how many steps before it others are.
    """

    def next_owners(last, owner):
        return [one for one in range(last or count) if one != owner]

    @cache
    def longest(last, owner):
        if owner == 0:
            return 0
        if owner is None:
            return max(longest(last, one) for one in next_owners(last, None))
        whole = max(longest(owner, one) for one in next_owners(last, owner))
        later = max(longest(owner, one) for one in next_owners(owner, owner))
        return 1 + max(whole, later)

    asked = [longest(last, owner) for last in range(count) for owner in (None, *range(1, count))]
    assert RegisteredArbiter.most_of(count) == max(asked)
