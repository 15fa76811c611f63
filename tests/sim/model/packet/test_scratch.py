from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork_sim.model.packet.scratch import make_scratch


def test_scratch_is_clear_and_as_large_as_a_router():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4, buffer_depth=5)
    scratch = make_scratch(network)
    assert len(scratch.requests) == len(scratch.asked) == len(scratch.moves) == 3 * 4
    assert len(scratch.offers) == len(scratch.accepted) == 3
    for name in ("lowest", "above", "grant"):
        assert (scratch.requests[name] == -1).all()
    assert (scratch.offers["slot"] == -1).all()
    assert not any(scratch.counters[0])


def test_lists_have_room_for_every_flit_of_a_cycle():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4)
    scratch = make_scratch(network)
    assert len(scratch.arrivals) == 6 * 3  # one flit per input port
    assert len(scratch.departures) >= 6 * 3
    assert len(scratch.entering) == 6
