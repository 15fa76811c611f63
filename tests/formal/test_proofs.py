"""What is proven of a network, by its router class."""

import pytest
from helpers.toy import harness
from knotwork import Network
from knotwork.formal import proofs
from knotwork.formal.property import Property, RouterProofs, with_lemmas


def follows(network):
    """Whether the facts of a network's router say more than its harness does by itself."""
    kind = network.router_kinds[0]
    entry = proofs.PROOFS[network.router_class]
    alone, reachable = entry.harness(network, kind), entry.reachable_harness(network, kind)
    return alone.open_rtlil("one") != reachable.open_rtlil("one")


@pytest.mark.parametrize(
    ("word", "is_walked"),
    [
        ("hypercube:n=3,data_width=8", True),
        ("hypercube:n=7,data_width=8", False),
        ("hypercube:n=3,router=deflection", True),
        ("hypercube:n=7,router=deflection", False),
    ],
)
def test_pairs_are_walked_where_they_are_few(word, is_walked, monkeypatch):
    network = Network.from_word(word)
    assert (network.topology.nodes <= proofs.WALKED) == is_walked
    entry, walked = proofs.PROOFS[network.router_class], []

    def reachable(self, network, kind):
        walked.append(network)
        return self.harness(network, kind)

    monkeypatch.setattr(type(entry), "reachable_harness", reachable)
    monkeypatch.setattr(
        proofs,
        "facts_rtlil",
        lambda module, verilog, harness, properties: harness.open_rtlil("one"),
    )
    assert proofs.router_facts(network, network.router_kinds[0], "")
    assert len(walked) == is_walked


@pytest.mark.parametrize(
    ("word", "has_more"),
    [
        ("hypercube:n=2,data_width=8", True),
        ("hypercube:n=2,router=deflection", False),
        ("hypercube:n=2,data_width=8,pipeline=2", True),
        ("hypercube:n=2,data_width=8,pipeline=2,parity=yes", False),
        ("hypercube:n=2,data_width=8,pipeline=2,multicast=yes", False),
        ("torus:x=3,y=3,directions=one,router=deflection", False),
        ("ccc:n=2,routing=lc2,data_width=8", False),
    ],
)
def test_what_follows_from_the_network_is_told_by_the_router_class(word, has_more):
    assert follows(Network.from_word(word)) == has_more


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("hypercube:n=2", []),
        ("ccc:n=2,routing=lc2", ["ccc_n2_lc2_controller", "ccc_n2_lc2"]),
        ("ccc:n=2,routing=lc2,words=2", ["ccc_n2_lc2_words2_controller"]),
        ("lcan:d=2,u=1,levels=2,name=my_noc", ["my_noc_interface", "my_noc_controller"]),
        ("hypercube:n=2,router=deflection", []),
        (
            "hypercube:n=2,multicast=yes,pipeline=2,name=my_noc",
            [f"my_noc_router_{name}" for name in ("store_source", "store")],
        ),
    ],
)
def test_parts_beside_the_routers_are_told_by_the_router_class(word, names):
    assert [part.name for part in proofs.parts(Network.from_word(word))] == names


class Plain(RouterProofs):
    """A router class that says nothing more."""

    def __init__(self):
        self.made = []

    def harness(self, network, kind):
        self.made.append(kind)
        one = harness()
        one.rtlil("used")
        return one

    def properties(self, network, kind):
        return ()


def test_a_class_that_says_no_more_lacks_nothing_and_has_routers_only():
    plain, network = Plain(), Network.from_word("hypercube:n=2")
    assert plain.unmet_requirement(network) is None
    assert plain.parts(network) == ()


def test_unless_a_class_says_more_its_harness_is_all_that_is_known():
    plain, network = Plain(), Network.from_word("hypercube:n=2")
    plain.reachable_harness(network, network.router_kinds[0])
    assert plain.made == [network.router_kinds[0]]


def named(name, *lemmas):
    return Property(name=name, text=name, claim=lambda harness: None, lemmas=lemmas)


def test_a_property_comes_once_and_after_its_lemmas():
    ground = named("ground")
    left, right = named("left", ground), named("right", ground)
    top = named("top", left, right)
    names = [one.name for one in with_lemmas([top, right, ground])]
    assert names == ["ground", "left", "right", "top"]


def test_properties_without_lemmas_keep_their_order():
    names = [one.name for one in with_lemmas([named("b"), named("a")])]
    assert names == ["b", "a"]
