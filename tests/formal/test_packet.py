"""Packet routers: what is proven of them, and what makes the proofs fail."""

import pytest
from knotwork import Network
from knotwork.emit.router import router_verilog
from knotwork.errors import ToolError
from knotwork.formal import FAILED, PROVEN, prove_router, prover, router_properties


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


def test_a_router_is_proven():
    network, kind, verilog = router("mesh x=2 y=2 data_width=8 buffer_depth=2")
    found = list(prove_router(network, kind, verilog))
    assert [one.name for one in found] == [one.name for one in router_properties(network, kind)]
    assert {one.name: (one.result, one.reason) for one in found} == {
        one.name: (PROVEN, "") for one in found
    }


def test_a_lack_of_a_solver_is_told(monkeypatch):
    run = prover._run

    def without(command, folder, **more):
        renamed = ["no-such-solver" if word == "yices" else word for word in command]
        return run(renamed, folder, **more)

    monkeypatch.setattr(prover, "_run", without)
    network, kind, verilog = router("mesh x=2 y=2 data_width=8 buffer_depth=2")
    (first, *_) = router_properties(network, kind)
    with pytest.raises(ToolError, match="yosys-smtbmc: must come to an answer, but said: "):
        list(prove_router(network, kind, verilog, [first]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "mesh x=3 y=3",
        "hypercube n=4 buffer_depth=4",
        "torus x=4 y=4 data_width=8 buffer_depth=2",
        "mesh x=2 y=2 data_width=8 buffer_depth=2 virtual_channels=2",
    ],
)
def test_larger_routers_are_proven(words):
    found = outcomes(words)
    assert found == dict.fromkeys(found, (PROVEN, ""))


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("assign i__ready = ~ full;", "assign i__ready = 1'h1;", "buffers"),
        ("? back : i__payload;", "? i__payload : back;", "order_local_vc0"),
    ],
)
def test_a_fault_of_a_packet_router_is_found(before, after, breaks):
    network, kind, verilog = router("mesh x=2 y=2 data_width=8 buffer_depth=2")
    verilog = changed(verilog, before, after)
    properties = router_properties(network, kind)
    wanted = next(one for one in properties if one.name == breaks)
    found = list(prove_router(network, kind, verilog, [wanted]))
    assert found[-1].result == FAILED
    assert found[-1].reason.startswith("counterexample")
