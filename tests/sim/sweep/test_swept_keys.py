import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import Choice, Integer, Real, Span
from knotwork.topology import Hypercube
from knotwork_sim.sweep.point import check_load
from knotwork_sim.sweep.swept_keys import REFUSED, sweep_keys
from knotwork_sim.traffic.keys import Traffic

COMPANIONS = {"burst_rate": {"burst": 4.0}}
"""What keys need beside them."""


def legal(field):
    """Value of a key that is not its default; None where only the user could name one."""
    match field.metadata["kind"]:
        case Integer(low=low):
            return low + 1
        case Real(low=low, high=high):
            return (low + high) / 2
        case Span(low=low):
            return (low, low + 1)
        case Choice(words):
            return next(word for word in words if word != field.default)
    return None


def test_the_keys_offered_are_all_but_the_refused_ones():
    assert list(sweep_keys()) == [key for key in list(Traffic.keys()) if key not in REFUSED]
    assert set(REFUSED) <= set(Traffic.keys())


@pytest.mark.parametrize("key", Traffic.keys())
def test_a_sweep_offers_no_key_that_it_refuses(key):
    value = legal(Traffic.keys()[key])
    if value is None or key == "members":  # `members` alone changes nothing
        return
    network = Network(Hypercube(n=3))
    try:
        check_load(network, Traffic(**{key: value, **COMPANIONS.get(key, {})}))
    except ConfigurationError as error:
        assert key in REFUSED, error
    else:
        assert key in sweep_keys()
