import pytest
from knotwork import Network
from knotwork.formal import parts
from knotwork.parameters import ROUTER_PARAMETERS
from quality.mutation.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_targets_are_kinds_of_routers(target):
    network = Network.from_word(target.net)
    kinds = [kind.name for kind in network.router_kinds]
    assert target.module in kinds or target.module in [part.name for part in parts(network)]


def test_targets_cover_the_classes_of_routers():
    networks = [Network.from_word(target.net) for target in TARGETS]
    assert {network.router_class for network in networks} == set(ROUTER_PARAMETERS)
    assert any(network.topology.is_one_way for network in networks)
    assert any(Network.from_word(t.net).routing.broadcast is not None for t in TARGETS)
    assert any(Network.from_word(t.net).routing.virtual_channels > 1 for t in TARGETS)
    with_credits = [network for network in networks if network.has_credits]
    assert any(network.has_multicast for network in with_credits)
    assert any(network.routing.escape_class is not None for network in with_credits)
