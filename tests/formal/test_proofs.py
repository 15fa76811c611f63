"""Registry of proofs: which router classes have them, and what is known of a router."""

import pytest
from knotwork import Network
from knotwork.formal import proofs


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
