"""Headers that can come to a packet router at all, found by walking all pairs of nodes."""

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data

from ...gateware.layouts import destination_width, label_width
from .router_harness import RouterHarness
from .rule_turns import legal_copies, legal_headers, pattern, router_codes


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
