import pytest
from helpers.long_links import network_of
from knotwork import Hypercube, Network
from knotwork.topology import LOCAL


def test_a_cube_has_one_kind_of_router():
    network = Network(Hypercube(n=3), virtual_channels=2)
    (kind,) = network.router_kinds
    assert kind.name == "hypercube_n3_virtual_channels2_router"
    assert kind.role == "router"
    assert kind.ports == (LOCAL, 1, 2, 3)
    assert (network.router_number == 0).all()
    assert kind.input_vcs(1) == [0, 1]
    assert kind.output_vcs(LOCAL) == [0]
    # e-cube falls: what came in by dimension 0 can only leave to the node.
    assert {turn.output_port for turn in kind.turns if turn.input_port == 1} == {LOCAL}
    assert {turn.output_port for turn in kind.turns if turn.input_port == 3} == {LOCAL, 1, 2}


@pytest.mark.parametrize(
    "word", ["petersen", "torus:x=3,y=3", "moebius:n=4,routing=spr", "tcpg:k=1,m=1,broadcast=no"]
)
def test_with_parity_every_input_can_eject_and_no_other_turn_is_new(word):
    plain, guarded = (
        Network.from_word(word),
        Network.from_word(f"{word}{',:'[':' not in word]}parity=yes"),
    )
    added = 0
    for kind, other in zip(plain.router_kinds, guarded.router_kinds, strict=True):
        assert other.unicast_turns == kind.unicast_turns
        inputs = {turn[:2] for turn in kind.turns}
        assert {turn[:2] for turn in other.turns if turn.output_port == LOCAL} == inputs
        more = set(other.turns) - set(kind.turns)
        assert all(turn[2:] == (LOCAL, 0) for turn in more)
        assert not kind.error_turns
        added += len(more)
    assert (added > 0) == (word in ("petersen", "tcpg:k=1,m=1,broadcast=no"))


def test_routers_whose_buffers_differ_in_depth_are_of_different_kinds():
    """All three have the same ports and turns but for the depth of a buffer beside link 0-1."""
    links = [(0, 1, 4), (1, 2), (2, 0)]
    deep = network_of(links, directed=True, buffer_depth=10, name="deep")
    (kind,) = deep.router_kinds  # 10 flits are enough for the link of 4 cycles
    assert kind.name == "deep_router"
    network = network_of(links, directed=True, buffer_depth=4, name="net")
    assert [kind.name for kind in network.router_kinds] == [
        "net_router_at_2", "net_router_at_1", "net_router_at_0",
    ]  # fmt: skip
    depths = {
        kind.name[-1]: (network.depth_at(kind.router, 1), network.depth_behind(kind.router, 1))
        for kind in network.router_kinds
    }
    assert depths == {"0": (4, 10), "1": (10, 4), "2": (4, 4)}
