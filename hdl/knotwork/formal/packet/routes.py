"""Claims about a packet router's route computation, and the assertions in its Verilog."""

from functools import partial

import numpy as np
from amaranth.hdl import Cat

from ...network import Network, RouterKind
from ...routing import Turn
from ...routing.base import lane
from ...topology import LOCAL
from ..prover import Property
from .bench import PacketBench

_ADDRESSES = 4096
"""Pairs of router and destination up to which routes are compared."""


def routers_of(network: Network, kind: RouterKind) -> list[int]:
    """Routers of a kind that routes are compared for: all, or as many as come first."""
    number = network.router_kinds.index(kind)
    found = np.flatnonzero(network.router_number == number).tolist()
    return found[: max(1, _ADDRESSES // network.topology.nodes)]


def legal_turns(network: Network, kind: RouterKind) -> dict[Turn, set[tuple[int, int]]]:
    """By turn of a kind's routers, the addresses of router and destination that take it.

    Walks from all sources by the routing's rule.
    """
    topology, routing = network.topology, network.routing
    routers = set(routers_of(network, kind))
    found: dict[Turn, set[tuple[int, int]]] = {turn: set() for turn in kind.unicast_turns}
    for destination in range(topology.nodes):
        seen: set[tuple[int, int, int]] = set()
        # A class is followed in one lane: the lanes are alike.
        ways = [(source, LOCAL, 0) for source in range(topology.nodes)]
        while ways:
            way = ways.pop()
            if way in seen:
                continue
            seen.add(way)
            router, port, vc_class = way
            output, out_class = routing.rule(routing.parameters, *way, destination)
            if router in routers:
                codes = topology.address(router), topology.address(destination)
                lanes = [lane(*codes, routing.lanes)] if port == LOCAL else range(routing.lanes)
                for number in lanes:
                    low = number * routing.classes
                    out_vc = out_class if output == LOCAL else low + out_class
                    found[Turn(port, low + vc_class, int(output), int(out_vc))].add(codes)
            if output != LOCAL:
                after = int(topology.neighbours[router, output])
                ways.append((after, int(topology.peer_ports[router, output]), int(out_class)))
    return found


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
