"""Defaults give way to what a user wrote: no refusal names a key that the user did not write."""

import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Network


@pytest.mark.parametrize(
    ("word", "values"),
    {
        "hypercube:n=3": {"pipeline": 2, "buffer_depth": 16, "multicast": "no"},
        "wk:w=3,levels=2": {"broadcast": "label", "max_packet": 16},
        "wk:w=3,levels=2,tables=loaded": {"broadcast": "no"},
        "tcpg:k=1,m=1,tables=loaded": {"broadcast": "no"},
        # Broadcasts need a virtual channel per level, of at most 8.
        "wk:w=2,levels=9": {"broadcast": "no", "virtual_channels": 2},
        "wk:w=3,levels=3,virtual_channels=2": {"broadcast": "no"},
        "wk:w=3,levels=3,virtual_channels=6": {"broadcast": "label"},
        "wk:w=3,levels=3,classes=3": {"broadcast": "no", "virtual_channels": 6},
        # A packet that branches stays in its buffer.
        "wk:w=3,levels=2,max_packet=20": {"broadcast": "label", "buffer_depth": 20},
        "wk:w=3,levels=2,max_packet=4": {"buffer_depth": 16},
        "wk:w=3,levels=2,buffer_depth=4": {"max_packet": 4},
        # The chain of a multicast of m flits takes ceil(log2 m) rounds, each a virtual channel.
        "hypercube:n=9,multicast=yes,buffer_depth=600": {"max_packet": 256, "virtual_channels": 8},
        "hypercube:n=8,multicast=yes,buffer_depth=600": {"max_packet": 600, "virtual_channels": 8},
        "hypercube:n=3,multicast=yes,virtual_channels=2": {"max_packet": 4},
    }.items(),
)
def test_a_default_fits_what_the_user_wrote(word, values):
    network = Network.from_word(word)
    assert {key: network.parameters.get(key) for key in values} == values
    network.require_deadlock_free()


def test_a_name_tells_no_default_that_gave_way():
    network = Network.from_word("wk:w=3,levels=2,tables=loaded")
    assert network.name == "wk_w3_levels2_tablesloaded"
    again = Network.from_texts("wk", {key: network.parameters[key] for key in ("w", "levels")})
    assert again.name != network.name
    assert Network.from_word("wk:w=3,levels=2,max_packet=20").name == "wk_w3_levels2_buffer_depth20"


@pytest.mark.parametrize(
    ("word", "line"),
    {
        "wk:w=3,levels=2,tables=loaded,broadcast=mask": "wk: broadcast must be no with "
        "tables=loaded, because a copy has no destination that a table could look up, not mask",
        "wk:w=3,levels=2,broadcast=mask,dead=0-1": "wk: broadcast must be no with dead=0-1, "
        "because its branches need every link of the complete network, not mask",
        "wk:w=3,levels=2,broadcast=mask,routing=updown": "wk: broadcast must be no with "
        "routing=updown, because its branches follow the network's own routing, not mask",
        "moebius:n=3,multicast=yes,routing=spr,vc_scheme=escape": "moebius: multicast must be no "
        "with vc_scheme=escape, because a packet that escapes leaves the order that relays need, "
        "not yes",
        "hypercube:n=3,multicast=yes,dead=1": "hypercube: multicast must be no with dead=1, "
        "because the relays need every link of the complete network, not yes",
    }.items(),
)
def test_options_that_exclude_each_other_are_both_named(word, line):
    with refuses(line):
        Network.from_word(word)


def test_keywords_are_refused_as_words_are():
    with refuses(
        "hypercube: multicast must be no with tables=loaded, because a table need not keep the "
        "order that relays need, not yes"
    ):
        Network(Hypercube(n=3), multicast=True, tables="loaded")
    with refuses(
        "hypercube: multicast must be no with routing=shortest, because relays are free of "
        "deadlock by the highest dimension first alone, not yes"
    ):
        Network(Hypercube(n=3), multicast=True, routing="shortest")
