"""Claims about the route computation of packet routers, and headers that can come to one."""

from functools import partial

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data

from ...gateware.layouts import destination_width, label_width
from ...network import Network, RouterKind
from ..property import Property
from .node_claims import assume_packets_fit
from .router_harness import RouterHarness
from .rule_turns import legal_copies, legal_headers, legal_ways, pattern, router_codes, routers_of


def assume_reachable(harness: RouterHarness) -> None:
    """Consider only headers with which some packet is offered here, or shown by a buffer.

    This follows from the routing's rule, to which `route` and `branches` hold the routers, and from
    `order`: what a buffer shows was offered to it.
    """
    network, kind = harness.network, harness.kind
    codes, width = router_codes(network, kind), network.topology.address_width
    field = destination_width(network)
    harness.environment(harness.code.matches(*sorted(set(codes.values()))))
    headers: dict[tuple[int, int], set[str]] = {place: set() for place in harness.channels}
    for turn, triples in legal_headers(network, kind).items():
        found = [[(s, width), (0, 1), (r, len(harness.code)), (d, field)] for r, d, s in triples]
        headers[turn.input_port, turn.input_vc] |= {pattern(parts) for parts in found}
    bits = label_width(network)
    for place, cases in legal_copies(network, kind).items():
        for case in cases:
            parts = [(case.source, width), (1, 1), (case.address, len(harness.code))]
            headers[place].add(pattern([*parts, (None, field - bits), (case.label, bits)]))
    for place, channel in harness.channels.items():
        is_legal = _Legal(harness, sorted(headers[place]))
        harness.environment(~channel.offered | is_legal(channel.entry.flit))
        harness.assume(~channel.valid | is_legal(channel.front_flit))


class _Legal:
    """Whether a flit has one of these headers."""

    def __init__(self, harness: RouterHarness, headers: list[str]) -> None:
        self._code, self._headers = harness.code, headers
        self._width = harness.network.topology.address_width

    def __call__(self, flit: data.View) -> Value:
        members = flit.shape().members
        source = flit.source if "source" in members else Const(0, self._width)
        copy = flit.broadcast if "broadcast" in members else Const(0, 1)
        # The highest part comes first in a pattern.
        header = Cat(flit.destination, self._code, copy, source)
        return header.matches(*self._headers) if self._headers else Const(0)


def _claim_route(harness: RouterHarness, network: Network, kind: RouterKind) -> None:
    width = network.topology.address_width + network.routing.draw_width
    for ways, codes in legal_ways(network, kind).items():
        channel = harness.channels[ways[0].input_port, ways[0].input_vc]
        destination = channel.entry.flit.destination[:width]
        pair = harness.named(Cat(destination, harness.code), "pair")
        legal = harness.named(pair.matches(*(a << width | d for a, d in sorted(codes))), "legal")
        if network.has_broadcast:
            legal = legal & ~channel.entry.flit.broadcast
        legal = legal & channel.is_routed
        # Whether or not a flit is offered: of one that is, the environment assumes such a turn.
        harness.claim(~legal | (channel.entry.turn == channel.turn_by(ways)))
        harness.claim(~legal | channel.may_take(channel.entry.turn))
        if any(map(harness.can_happen, ways)):
            harness.cover(legal & channel.offered)


def _claim_branches(harness: RouterHarness, network: Network, kind: RouterKind) -> None:
    width, bits = network.topology.address_width, label_width(network)
    for place, cases in legal_copies(network, kind).items():
        channel = harness.channels[place]
        flit = channel.entry.flit
        header = harness.named(Cat(flit.destination[:bits], flit.source, harness.code), "header")
        by_turns: dict[int, set[str]] = {}
        by_label: dict[tuple[int, int], set[str]] = {}
        for case in cases:
            addresses = [(case.address, len(harness.code)), (case.source, width)]
            known = pattern([*addresses, (case.label, bits)])
            numbers = {channel.turns.index(turn): label for turn, label in case.sent.items()}
            by_turns.setdefault(sum(1 << number for number in numbers), set()).add(known)
            for number, label in numbers.items():
                if label is not None:
                    by_label.setdefault((number, label), set()).add(known)
        for turns, patterns in by_turns.items():
            legal = harness.named(flit.broadcast & header.matches(*sorted(patterns)), "legal")
            legal = legal & channel.is_routed
            harness.claim(~legal | (channel.entry.turn == turns))
            harness.cover(legal & channel.offered)
        for (number, label), patterns in by_label.items():
            legal = harness.named(flit.broadcast & header.matches(*sorted(patterns)), "labelled")
            harness.claim(~legal | (channel.labels[number] == label))


def _claim_nothing_more(harness: RouterHarness) -> None:
    if harness.network.has_multicast:
        assume_packets_fit(harness)
    for channel in harness.channels.values():
        if any(harness.can_happen(turn) for turn in channel.turns):
            harness.cover(channel.arrives & channel.leaves)


def route_property(network: Network, kind: RouterKind) -> Property:
    """Property of a router's route computation, by itself."""
    count = len(routers_of(network, kind))
    return Property(
        name="route",
        text=f"a flit takes the turn of the routing's rule, at {count} routers of this kind",
        claim=partial(_claim_route, network=network, kind=kind),
    )


def branches_property(network: Network, kind: RouterKind) -> Property:
    """Property of a router's computation of branches, by itself."""
    count = len(routers_of(network, kind))
    return Property(
        name="branches",
        text="a broadcast takes the turns of the rule, and has the rule's label on each, at "
        f"{count} routers of this kind",
        claim=partial(_claim_branches, network=network, kind=kind),
    )


def assertions_property(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: the assertions in the Verilog."""
    return Property(
        name="assertions",
        text="the assertions in the Verilog hold",
        claim=_claim_nothing_more,
        lemmas=base,
        claims_assertions=True,
    )
