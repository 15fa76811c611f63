import numpy as np
import pytest
from helpers.ring import NEXT, PREVIOUS, Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork_sim.model.packet.state import make_state


@pytest.mark.parametrize(("virtual_channels", "skid"), [(1, False), (2, True), (4, True)])
def test_a_node_has_a_skid_buffer_where_inputs_have_several_virtual_channels(
    virtual_channels, skid
):
    network = Network(Hypercube(n=2), virtual_channels=virtual_channels)
    assert make_state(network).nodes["has_skid"].tolist() == [skid] * 4


def test_state_is_empty_and_as_large_as_the_network():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4, buffer_depth=5)
    state = make_state(network)
    assert state.flits.shape == (6 * 3 * 4, 5)
    assert (state.inputs["packet"] == -1).all()
    assert not state.levels.any()
    assert (state.outputs["owner"] == -1).all()
    assert not any(words.any() for words in (state.fronts, state.busy))


def test_an_output_channel_leads_to_the_same_virtual_channel_of_the_next_router():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4)
    into = make_state(network).outputs["into"].reshape(6, 3, 4)
    assert (into[:, 0] == ~np.arange(6)[:, None]).all()
    for router in range(6):
        following = (router + 1) % 6 * 3 + PREVIOUS
        assert into[router, NEXT].tolist() == [following * 4 + vc for vc in range(4)]


def test_every_slot_knows_its_router():
    state = make_state(Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4))
    where = np.divmod(np.arange(6 * 3 * 4), 3 * 4)
    assert state.inputs["router"].tolist() == where[0].tolist()
    assert state.inputs["slot"].tolist() == where[1].tolist()
