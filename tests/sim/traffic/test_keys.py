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
