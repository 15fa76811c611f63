import pytest
from helpers.refusals import refuses
from knotwork.parameters import unknown_key
from knotwork_sim.traffic.keys import PATTERNS, Traffic

RULE = Traffic.keys()["traffic"].metadata["kind"].rule
RANGE = "must be an integer or a range FIRST-LAST in 1..4096"
ONLY = "must be given with traffic=permutation and only with it, not"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("rate=0", "rate must be a number in 0.0001..1, not 0.0"),
        ("rate=1.5", "rate must be a number in 0.0001..1, not 1.5"),
        ("rate=nan", "rate must be a number in 0.0001..1, not 'nan'"),
        ("packets=0", "packets must be an integer in 1..100000000, not 0"),
        ("bubble=1", "bubble must be a number in 0..0.99, not 1.0"),
        ("stall=-0.1", "stall must be a number in 0..0.99, not -0.1"),
        ("seed=-1", "seed must be an integer in 0..9223372036854775807, not -1"),
        ("traffic=hurricane", f"traffic must be {RULE}, not 'hurricane'"),
        ("length=0", f"length {RANGE}, not (0, 0)"),
        ("length=8-1", f"length {RANGE}, not (8, 1)"),
        ("length=1-9999", f"length {RANGE}, not (1, 9999)"),
        ("length=x", f"length {RANGE}, not 'x'"),
        ("length=1-", f"length {RANGE}, not '1-'"),
        ("reply=0", f"reply {RANGE}, not (0, 0)"),
        ("burst=0.5", "burst must be a number in 1..100000, not 0.5"),
        ("permutation=identity", f"permutation {ONLY} 'identity' with traffic=uniform"),
        ("traffic=permutation", f"permutation {ONLY} None with traffic=permutation"),
        ("burst_rate=0.5", "burst_rate must be used with burst, not alone as burst_rate=0.5"),
        ("service=3-9", "service must be used with reply, not alone as service=3-9"),
        ("traffic=uniform:1,matrix:1",
         "matrix must be given with traffic=matrix and only with it, not None with "
         "traffic=uniform:1,matrix:1"),
        ("traffic=reduce rate=0.2", "rate must be left unset with traffic=reduce, not 0.2"),
        ("traffic=reduce members=2", "members must be left unset with traffic=reduce, not 2"),
        ("collective_count=3", "collective_count must be left unset with traffic=uniform, not 3"),
        ("traffic=reduce:1,uniform:1",
         "a mix must have packets or collectives, not both as reduce:1,uniform:1"),
    ],
)  # fmt: skip
def test_what_traffic_cannot_be_is_refused(words, complaint):
    with refuses(f"traffic: {complaint}"):
        Traffic.from_words(words.split())


def test_an_unknown_key_is_refused():
    with refuses(unknown_key("traffic", "hurry", list(Traffic.keys()))):
        Traffic.from_words(["hurry=1"])


def test_a_list_stands_alone():
    line = "traffic: replay must be the only pattern, not in the mix uniform:1,replay:1"
    with refuses(line):
        Traffic(traffic="uniform:1,replay:1", replay=[(0, 1, 2)])


def test_collectives_are_no_packets():
    line = f"traffic: a pattern of packets must be one of {', '.join(PATTERNS)}, not barrier, which"
    with refuses(f"{line} only simulate runs"):
        Traffic(traffic="barrier").require_packets()
    Traffic(traffic="uniform").require_packets()


def test_shares_of_a_mix_add_up_to_one():
    assert Traffic(traffic="uniform:3,hotspot:1").parts == (("uniform", 0.75), ("hotspot", 0.25))
    assert Traffic().parts == (("uniform", 1.0),)


def test_new_keys_are_silent_while_they_are_not_used():
    """Points of old sweeps keep their seeds, which follow from the keys shown."""
    assert set(Traffic().as_dict()) == {
        *("traffic", "permutation", "rate", "packets", "length", "multicast_share"),
        *("broadcast_share", "members", "bubble", "stall", "seed"),
    }
