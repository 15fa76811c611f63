import pytest
from knotwork import Network
from quality.mutation.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_targets_are_kinds_of_routers(target):
    network = Network.from_word(target.net)
    assert target.module in [kind.name for kind in network.router_kinds]


def test_targets_cover_the_classes_of_routers():
    classes = {Network.from_word(target.net).routing.router for target in TARGETS}
    assert classes == {"packet", "batch", "circuit", "deflection", "ring_deflection"}
    assert any(Network.from_word(t.net).routing.broadcast is not None for t in TARGETS)
    assert any(Network.from_word(t.net).routing.virtual_channels > 1 for t in TARGETS)
