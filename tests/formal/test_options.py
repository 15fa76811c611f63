"""Each option of a network has a property, is refused, or is named as not proven."""

import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.formal import parts, router_properties, unproven
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.parameters.collectives import CollectiveParameters

UNPROVEN, REFUSED = "not proven", "refused"

PACKETS = "hypercube:n=1,data_width=8,buffer_depth=4,pipeline=2"
CLASSES = f"{PACKETS},classes=2"

# A network that has the option, and the property that would miss it.
OPTIONS = {
    "packet": {
        "data_width": (PACKETS, "crossing"),
        "virtual_channels": ("mesh:x=2,y=2,virtual_channels=2", "holders"),
        "buffer_depth": (PACKETS, "queues"),
        "pipeline": ("hypercube:n=1,pipeline=3", "crossing"),
        "allow_deadlock": (f"{PACKETS},allow_deadlock=yes", "progress"),
        "parity": (f"{PACKETS},parity=yes", "votes"),
        "tables": ("hypercube:n=1,tables=loaded", UNPROVEN),
        "counters": (f"{PACKETS},counters=yes", "counters"),
        "watchdog": (f"{PACKETS},watchdog=9", "watchdog"),
        "class_limits": (f"{CLASSES},class_limits=1,1/2", "injection"),
        "class_bursts": (f"{CLASSES},class_limits=1,1/2,class_bursts=1,2", "injection"),
        "arbitration": (f"{CLASSES},arbitration=weighted", "sharing"),
        "class_weights": (f"{CLASSES},arbitration=weighted,class_weights=1,2", "sharing"),
    },
    "circuit": {
        "data_width": ("lcan:d=2,u=1,levels=2", "transfer"),
        "max_packet": ("lcan:d=2,u=1,levels=2,max_packet=4", "offers"),
        "network_seed": ("lcan:d=2,u=2,levels=2,network_seed=3", "grants"),
        "cycle": ("lcan:d=2,u=2,levels=3,cycle=adaptive", UNPROVEN),
    },
    "batch": {
        "data_width": ("ccc:n=2,routing=lc2", "packet"),
        "words": ("ccc:n=2,routing=lc2,words=2", "packet"),
    },
    "deflection": {
        "data_width": ("hypercube:n=2,router=deflection", "passes"),
        "source": ("hypercube:n=2,router=deflection,source=no", "passes"),
        "sequence_width": ("hypercube:n=2,router=deflection,sequence_width=4", REFUSED),
    },
}


def test_every_option_is_listed():
    """But for ``ports``, which names wires of the top alone, and keys of collectives, which stand
    beside all that proofs of networks are of: they have proofs of their own.
    """
    beside = {"ports", *CollectiveParameters.keys()}
    assert {name: {*keys} for name, keys in OPTIONS.items()} == {
        name: {*kind.keys()} - beside for name, kind in ROUTER_PARAMETERS.items()
    }


@pytest.mark.parametrize(
    ("key", "word", "answer"),
    [(key, *case) for keys in OPTIONS.values() for key, case in keys.items()],
)
def test_an_option_has_a_property_or_verify_says_that_it_has_none(key, word, answer):
    network = Network.from_word(word)
    if answer == REFUSED:
        with pytest.raises(ConfigurationError, match="other networks have no proofs yet"):
            parts(network)
        return
    found = {p.name for kind in network.router_kinds for p in router_properties(network, kind)}
    found |= {p.name for part in parts(network) for p in part.properties(network)}
    assert (answer in found) == (answer != UNPROVEN), found
    assert (answer == UNPROVEN) == any(text.startswith(f"{key}=") for text in unproven(network))


@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=2,routing=spr,vc_scheme=escape,pipeline=2",
        "mesh:x=2,y=2,routing=adaptive",
        "hypercube:n=2,routing=adaptive,ways=3,pipeline=3",
    ],
)
def test_routers_whose_packets_choose_have_a_property_of_their_order(word):
    network = Network.from_word(word)
    for kind in network.router_kinds:
        assert "escapes" in {one.name for one in router_properties(network, kind)}


@pytest.mark.parametrize("name", ["credits", "random"])
def test_routers_whose_heads_choose_otherwise_than_in_turn_are_refused(name, refusal):
    line = refusal(f"verify mesh x=2 y=2 routing=adaptive selection={name}")
    assert line.endswith(
        "verify: it must have selection=first, because other networks have no proofs yet"
    )
