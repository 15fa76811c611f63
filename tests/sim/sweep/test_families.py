import pytest
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.families import Family


def test_a_range_names_a_network_per_value():
    family = Family.from_word("lcan:d=4,levels=2-4,u=2")
    assert [network.topology.levels for network in family.networks] == [2, 3, 4]
    assert family.label == "lcan d=4, u=2"
    assert family.parameters["levels"] == "2-4"
    assert family.parameters["d"] == 4
    alone = Family.from_word("fattree:r=4,4,u=2,2")
    assert alone.label == "fattree r=4, 4, u=2, 2"
    assert [network.topology.nodes for network in alone.networks] == [16]


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("lcan:d=2,u=2,levels=5-3",
         "sweep: levels must be a range FIRST-LAST that is not empty, not 5-3"),
        ("lcan:d=2-3,u=2,levels=2-3",
         "sweep: one key must be a range, not d=2-3 and levels=2-3"),
        ("lcan:d=2,u=2,levels=2,max_packet=2-3",
         "sweep: a key with a range must be one of d, u, levels, interconnect, not 'max_packet'"),
    ],
)  # fmt: skip
def test_what_is_no_family_is_refused(word, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        Family.from_word(word)
    assert str(refusal.value) == complaint
