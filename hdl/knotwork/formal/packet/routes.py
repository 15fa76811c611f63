"""Claims about a packet router's route computation, and the assertions in its Verilog."""

from functools import partial

from amaranth.hdl import Cat

from ...network import Network, RouterKind
from ..prover import Property
from .bench import PacketBench
from .legal import legal_turns, routers_of


def _route(bench: PacketBench, network: Network, kind: RouterKind) -> None:
    width = network.topology.address_width
    address = bench.constant("address")
    for turn, codes in legal_turns(network, kind).items():
        if not codes:  # a turn of other routers of the kind
            continue
        channel = bench.channels[turn.input_port, turn.input_vc]
        destination = channel.entry.flit.destination
        pair = bench.named(Cat(destination, address), "pair")
        legal = bench.named(pair.matches(*(a << width | d for a, d in sorted(codes))), "legal")
        wanted = 1 << channel.turns.index(turn)
        # Whether or not a flit is there: of one that is, the bench assumes that it has a turn.
        bench.claim(~legal | (channel.entry.turn == wanted))
        bench.cover(legal & channel.offered)


def _assertions(bench: PacketBench) -> None:
    for channel in bench.channels.values():
        if any(bench.can_happen(turn) for turn in channel.turns):
            bench.cover(channel.arrives & channel.leaves)


def route(network: Network, kind: RouterKind) -> Property:
    """Property of a router's route computation, by itself."""
    count = len(routers_of(network, kind))
    return Property(
        name="route",
        text=f"a flit takes the turn of the routing's rule, at {count} routers of this kind",
        claim=partial(_route, network=network, kind=kind),
    )


def assertions(base: tuple[Property, ...]) -> Property:
    """Property of what the Verilog asserts of itself."""
    return Property(
        name="assertions",
        text="what the Verilog asserts of itself",
        claim=_assertions,
        lemmas=base,
        own=True,
    )
