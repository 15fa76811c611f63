import pytest
from knotwork.errors import ConfigurationError
from knotwork.parameters import unknown_key
from knotwork_sim.traffic.keys import Traffic

RULE = Traffic.keys()["traffic"].metadata["kind"].rule


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("rate=0", "traffic: rate must be a number in 0.0001..1, not 0.0"),
        ("rate=1.5", "traffic: rate must be a number in 0.0001..1, not 1.5"),
        ("rate=nan", "traffic: rate must be a number in 0.0001..1, not nan"),
        ("packets=0", "traffic: packets must be an integer in 1..100000000, not 0"),
        ("bubble=1", "traffic: bubble must be a number in 0..0.99, not 1.0"),
        ("stall=-0.1", "traffic: stall must be a number in 0..0.99, not -0.1"),
        ("seed=-1", "traffic: seed must be an integer in 0..9223372036854775807, not -1"),
        (
            "traffic=hurricane",
            f"traffic: traffic must be {RULE}, not 'hurricane'",
        ),
        ("hurry=1", unknown_key("traffic", "hurry", list(Traffic.keys()))),
        (
            "permutation=identity",
            "traffic: permutation must be given with traffic=permutation and only with it, not "
            "'identity' with traffic=uniform",
        ),
        (
            "traffic=permutation",
            "traffic: permutation must be given with traffic=permutation and only with it, not "
            "None with traffic=permutation",
        ),
    ],
)
def test_what_traffic_cannot_be_is_refused(word, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        Traffic.from_words([word])
    assert str(refusal.value) == complaint


@pytest.mark.parametrize(
    ("text", "said"),
    [("0", "(0, 0)"), ("8-1", "(8, 1)"), ("1-9999", "(1, 9999)"), ("x", "'x'"), ("1-", "'1-'")],
)
def test_lengths_out_of_range_are_refused(text, said):
    with pytest.raises(ConfigurationError) as refusal:
        Traffic.from_words([f"length={text}"])
    rule = "traffic: length must be an integer or a range FIRST-LAST in 1..4096, not "
    assert str(refusal.value) == rule + said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("burst_rate=0.5", "burst_rate must go with burst, not alone as burst_rate=0.5"),
        ("service=3-9", "service must go with reply, not alone as service=3-9"),
        (
            "traffic=uniform:1,matrix:1",
            "matrix must be given with traffic=matrix and only with it, not None with "
            "traffic=uniform:1,matrix:1",
        ),
        ("burst=0.5", "burst must be a number in 1..100000, not 0.5"),
        ("reply=0", "reply must be an integer or a range FIRST-LAST in 1..4096, not (0, 0)"),
    ],
)
def test_keys_that_need_another_are_refused_without_it(words, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        Traffic.from_words(words.split())
    assert str(refusal.value) == f"traffic: {complaint}"


def test_a_list_stands_alone():
    with pytest.raises(ConfigurationError) as refusal:
        Traffic(traffic="uniform:1,replay:1", replay=[(0, 1, 2)])
    assert str(refusal.value) == (
        "traffic: replay must be the only pattern, not in the mix uniform:1,replay:1"
    )


def test_shares_of_a_mix_add_up_to_one():
    assert Traffic(traffic="uniform:3,hotspot:1").parts == (("uniform", 0.75), ("hotspot", 0.25))
    assert Traffic().parts == (("uniform", 1.0),)


def test_new_keys_are_silent_while_they_are_not_used():
    """Points of old sweeps keep their seeds, which follow from the keys shown."""
    assert set(Traffic().as_dict()) == {
        *("traffic", "permutation", "rate", "packets", "length", "multicast_share"),
        *("broadcast_share", "members", "bubble", "stall", "seed"),
    }
