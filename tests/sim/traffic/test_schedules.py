import pytest
from knotwork import Network
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.schedules import make_scheduled

SCHEDULED = "lcan:d=3,u=2,levels=3,routing=scheduled,max_packet=4"


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({}, "traffic must be permutation, or --schedule with routing=scheduled, not uniform"),
        ({"packets": 28}, "packets must be 27 or unnamed with routing=scheduled, not 28"),
        ({"rate": 0.5}, "rate must be 1 or unnamed with routing=scheduled, not 0.5"),
        ({"bubble": 0.5}, "bubble must be 0 with routing=scheduled, not 0.5"),
        ({"length": (1, 3)}, "length must be one number with routing=scheduled, not 1-3"),
        ({"broadcast_share": 0.5}, "broadcast_share must be 0 with routing=scheduled, not 0.5"),
        ({"multicast_share": 0.5}, "multicast_share must be 0 with routing=scheduled, not 0.5"),
    ],
)
def test_other_traffic_is_refused(keys, line):
    fixed = {"traffic": "permutation", "permutation": "identity"} if keys else {}
    with pytest.raises(ValueError, match=r"^traffic: ") as refusal:
        make_scheduled(Network.from_word(SCHEDULED), Traffic(**fixed, **keys))
    assert str(refusal.value) == f"traffic: {line}"
