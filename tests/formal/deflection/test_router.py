"""Routers without buffers: what is proven of them, and what makes the proofs fail."""

import pytest
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, prove_router, router_properties

RING = "torus x=4 y=4 directions=one router=deflection data_width=8"


def proofs(words, *, break_it=lambda text: text, only=None):
    network = Network.from_words(words.split())
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    verilog = break_it(router_verilog(network, kind))
    chosen = [one for one in router_properties(network, kind) if only in {None, one.name}]
    found = prove_router(network, kind, verilog, chosen)
    return {one.name: one.result for one in found}


def test_a_ring_router_is_proven():
    found = proofs(RING)
    assert found == dict.fromkeys(["injection", "passes", "streams", "turning"], PROVEN)


@pytest.mark.slow
@pytest.mark.parametrize("words", ["mesh x=3 y=3 data_width=8", "hypercube n=3 data_width=8"])
def test_a_deflection_router_is_proven(words):
    found = proofs(f"{words} router=deflection")
    assert found == dict.fromkeys(["injection", "passes", "streams", "priority"], PROVEN)


def test_a_lost_packet_is_found():
    def lose(text):
        # The node's register takes a packet though its last one is still there.
        before, after = "assign eject_room = ", "assign eject_room = 1'h1 | "
        assert before in text
        return text.replace(before, after)

    assert proofs(RING, break_it=lose, only="passes") == {"passes": FAILED}
