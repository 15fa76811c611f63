import pytest
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork.system import System


@pytest.fixture
def cyclic(monkeypatch):
    """Makes every command line name a ring whose routing can deadlock."""
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    monkeypatch.setattr(System, "from_words", lambda words, **_: System(network))
