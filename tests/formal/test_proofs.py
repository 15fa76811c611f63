from types import SimpleNamespace

"""What is known of a router for others' use."""

import pytest
from knotwork import Network
from knotwork.formal import proofs as routers


@pytest.mark.parametrize(
    ("word", "is_followed"),
    [
        ("hypercube:n=3,data_width=8", True),
        ("hypercube:n=7,data_width=8", False),
        ("hypercube:n=3,router=deflection", True),
        ("hypercube:n=7,router=deflection", False),
    ],
)
def test_ways_are_followed_where_they_are_few(word, is_followed, monkeypatch):
    network = Network.from_word(word)
    assert (network.topology.nodes <= routers.WALKED) == is_followed
    name, followed = network.router_class, []
    proofs = routers.PROOFS[name]._replace(more=followed.append)
    monkeypatch.setitem(routers.PROOFS, name, proofs)
    monkeypatch.setattr(
        routers,
        "facts_rtlil",
        lambda module, verilog, harness, properties: harness.open_rtlil(module),
    )
    assert routers.router_facts(network, network.router_kinds[0], "")
    assert len(followed) == is_followed


def test_of_rings_that_deflect_no_ways_are_followed():
    def follow(network):  # a harness would be asked for more than its network
        routers.PROOFS["deflection"].more(SimpleNamespace(network=network))

    follow(Network.from_word("torus:x=3,y=3,directions=one,router=deflection"))
    with pytest.raises(AttributeError):
        follow(Network.from_word("hypercube:n=2,router=deflection"))
