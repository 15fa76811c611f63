import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.requirements import Requirement, require_all

ROUTING = Network(Hypercube(n=2)).routing
GOOD, BAD = Requirement("rate", "1", True, 1), Requirement("stall", "0", False, 0.5)


def test_traffic_that_meets_them_all_passes():
    require_all(Traffic(), ROUTING, [GOOD, GOOD])


@pytest.mark.parametrize(
    ("traffic", "requirements", "line"),
    [
        (Traffic(), [GOOD, BAD], "stall must be 0 with routing=ecube, not 0.5"),
        (
            Traffic(multicast_share=0.5),
            [GOOD],
            "multicast_share must be 0 with routing=ecube, not 0.5",
        ),
        (Traffic(broadcast_share=0.5), [BAD], "stall must be 0 with routing=ecube, not 0.5"),
    ],
)
def test_the_first_that_does_not_hold_is_named(traffic, requirements, line):
    with pytest.raises(ConfigurationError) as refusal:
        require_all(traffic, ROUTING, requirements)
    assert str(refusal.value) == f"traffic: {line}"
