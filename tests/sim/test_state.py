import pytest
from knotwork import Hypercube, Network
from knotwork_sim.state import has_skid, make_scratch, make_state
from ring import Ring, RingRouting


@pytest.mark.parametrize(("virtual_channels", "skid"), [(1, False), (2, True), (4, True)])
def test_a_node_has_a_skid_buffer_where_inputs_have_several_virtual_channels(
    virtual_channels, skid
):
    network = Network(Hypercube(n=2), virtual_channels=virtual_channels)
    assert has_skid(network).tolist() == [skid] * 4


def test_state_is_empty_and_as_large_as_the_network():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4, buffer_depth=5)
    state, scratch = make_state(network), make_scratch(network)
    assert state.packet.shape == state.beat.shape == (6 * 3 * 4, 5)
    assert (state.front_packet == -1).all()
    assert not state.level.any()
    assert not state.held.any()
    assert len(scratch.grant) == 3 * 4
