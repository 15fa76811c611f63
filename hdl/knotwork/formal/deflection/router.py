"""Routers that keep nothing under proof: their harness and their properties."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data

from ...emit.modules import router_ports
from ...gateware.deflection.layouts import packet_layout
from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ...topology import LOCAL
from ..harness import Harness
from ..prover import Property

_PAIRS = 4096
"""Pairs of router and destination up to which wanted ports are compared."""


class DeflectionHarness(Harness):
    """Harness of a router that keeps nothing: packets on its links are for nodes.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    ports : list of int
        Links.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(kind.name, *router_ports(network, kind))
        self.network, self.kind = network, kind
        self.address = self.constant("address")
        topology = network.topology
        self._nodes = sorted(topology.address(node) for node in range(topology.nodes))
        names = [topology.ports[port] for port in kind.ports[1:]]
        self.came = [(self.port(f"{n}_i_valid"), self._packet(f"{n}_i_packet")) for n in names]
        self.goes = [(self.port(f"{n}_o_valid"), self._packet(f"{n}_o_packet")) for n in names]
        for valid, packet in self.came:
            self.environment(~valid | packet.destination.matches(*self._nodes))
        if not Deflection.of(network.routing).has_phases:
            # Who is in a column is in its destination's.
            valid, packet = self.came[1]
            bits = self.column_bits
            self.environment(~valid | (packet.destination[:bits] == self.address[:bits]))

    @property
    def column_bits(self) -> int:
        """Bits of a column's number, the lowest of an address."""
        topology: Any = self.network.topology
        return topology.factors[0].width

    def _packet(self, name: str) -> Any:
        return data.View(packet_layout(self.network), self.port(name))

    def is_node(self, address: Value) -> Value:
        """Whether some node has this address."""
        return address.matches(*self._nodes)

    def enters(self) -> Value:
        """Whether the node's packet goes in with this clock."""
        return self.sends() & self.port("s_axis_tready")

    def sends(self) -> Value:
        """Whether the node offers a packet that is one: a single beat, to a node."""
        inside = self.register(1, "inside")
        valid, last = self.port("s_axis_tvalid"), self.port("s_axis_tlast")
        with self.m.If(valid & self.port("s_axis_tready")):
            self.m.d.sync += inside.eq(~last)
        # The injector's own register, for which Amaranth found no name.
        self.claim(self.inside("core.injector.$signal") == inside)
        return valid & last & ~inside & self.is_node(self.port("s_axis_tdest"))


class _Before:
    """What came in in the last clock.

    Members
    -------
    valid : list of Signal
        By link, and last for the node.
    packets : list of View
        Likewise; of the node's only data, destination and source mean anything.
    given : Signal
        The node's register took a packet, or nothing.
    """

    def __init__(self, harness: DeflectionHarness, enters: Value) -> None:
        layout = packet_layout(harness.network)
        count = len(harness.came) + 1
        self.valid = [harness.register(1, f"came_{number}") for number in range(count)]
        self.packets = [harness.record(layout, f"was_{n}") for n in range(count)]
        self.room = harness.register(1, "room")
        node = self.packets[-1]
        harness.m.d.sync += [
            *(v.eq(valid) for v, (valid, _) in zip(self.valid, harness.came, strict=False)),
            *(p.eq(packet) for p, (_, packet) in zip(self.packets, harness.came, strict=False)),
            self.valid[-1].eq(enters),
            node.data.eq(harness.port("s_axis_tdata")),
            node.destination.eq(harness.port("s_axis_tdest")),
            self.room.eq(~harness.port("m_axis_tvalid") | harness.port("m_axis_tready")),
        ]
        if harness.network.has_source:
            harness.m.d.sync += node.source.eq(harness.address)


def _passes(harness: DeflectionHarness) -> None:
    before = _Before(harness, harness.enters())
    was_running = harness.register(1, "was_running")
    harness.m.d.sync += was_running.eq(1)
    given = harness.named(harness.port("m_axis_tvalid") & before.room, "given")
    out = [*(valid for valid, _ in harness.goes), given]
    harness.claim(~was_running | (sum(before.valid, Const(0)) == sum(out, Const(0))))
    names = [
        name for name in ("destination", "source") if name in packet_layout(harness.network).members
    ]
    for number, (valid, packet) in enumerate(zip(before.valid, before.packets, strict=True)):
        others = [
            v & (p.data == packet.data)
            for n, (v, p) in enumerate(zip(before.valid, before.packets, strict=True))
            if n != number
        ]
        is_node = number == len(harness.came)
        checked = harness.named(was_running & valid & ~Cat(others).any(), f"alone_{number}")
        places = [v & (p.data == packet.data) for v, p in harness.goes]
        home = given & (harness.port("m_axis_tdata") == packet.data)
        harness.claim(~checked | (sum([*places, home], Const(0)) == 1))
        for place, (_, found) in zip(places, harness.goes, strict=True):
            same: Value = found.as_value() == packet.as_value()
            if is_node:
                same = Cat(found[name] == packet[name] for name in names).all()
            harness.claim(~(checked & place) | same)
            if not is_node:
                harness.cover(checked & place)
        right: Value = packet.destination == harness.address
        if harness.network.has_source:
            right &= harness.port("m_axis_tid") == packet.source
        harness.claim(~(checked & home) | (right & harness.port("m_axis_tlast")))
        harness.cover(checked & home)


def _streams(harness: DeflectionHarness) -> None:
    names = [f"m_axis_{name}" for name in ("tdata", "tlast", "tid")]
    beat = Cat(harness.port(name) for name in names if harness.has_port(name))
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    harness.claim_held(valid, ready, beat, "m_axis")
    harness.cover(valid & ~ready)


def _injection(harness: DeflectionHarness) -> None:
    valid, last = harness.port("s_axis_tvalid"), harness.port("s_axis_tlast")
    sends = harness.named(harness.sends(), "sends")
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(valid & last & ~sends)
    harness.claim(harness.port("refused") == refused)
    harness.claim(~valid | sends | harness.port("s_axis_tready"))
    harness.cover(refused)
    harness.cover(sends & ~harness.port("s_axis_tready"))


def _turning(harness: DeflectionHarness) -> None:
    """A ring's row: what is in its column turns there; what came by the column yields to it."""
    before = _Before(harness, harness.enters())
    given = harness.port("m_axis_tvalid") & before.room
    bits = harness.column_bits
    row, column = before.packets[0], before.packets[1]
    turns = harness.named(
        before.valid[0] & (row.destination[:bits] == harness.address[:bits]), "turns"
    )
    along, down = (valid for valid, _ in harness.goes)
    harness.claim(~turns | down | given)
    harness.claim(~(turns & down) | (harness.goes[1][1].data == row.data))
    harness.claim(~(turns & before.valid[1]) | along)
    harness.claim(~(turns & before.valid[1]) | (harness.goes[0][1].data == column.data))
    harness.claim(~(before.valid[1] & ~turns) | down | given)
    harness.cover(turns & before.valid[1])


def _priority(harness: DeflectionHarness) -> None:
    """Of packets that go first, one alone gets the port that it wants."""
    before = _Before(harness, harness.enters())
    topology = harness.network.topology
    routing: Any = harness.network.routing
    low = routing.turn_clocks.bit_length() - 1
    width = topology.address_width
    time = harness.inside("core.time", low + width + 1)
    first = [v & (p.phase != time[-1]) & (p.destination == time[low:-1]) for v, p in harness.came]
    was_first = [harness.register(1, f"first_{number}") for number in range(len(first))]
    harness.m.d.sync += [was.eq(is_first) for was, is_first in zip(was_first, first, strict=True)]
    wanted: dict[int, list[int]] = {port: [] for port in harness.kind.ports}
    chosen = _routers(harness.network, harness.kind)
    harness.environment(harness.address.matches(*(topology.address(router) for router in chosen)))
    for router in chosen:
        for node in range(topology.nodes):
            port, _ = routing.rule(routing.parameters, router, LOCAL, 0, node)
            code = topology.address(router) << width | topology.address(node)
            wanted[int(port)].append(code)
    given = harness.port("m_axis_tvalid") & before.room
    for number, (is_first, packet) in enumerate(zip(was_first, before.packets, strict=False)):
        rivals = [other for place, other in enumerate(was_first) if place != number]
        alone = harness.named(is_first & ~Cat(rivals).any(), f"alone_{number}")
        pair = harness.named(Cat(packet.destination, harness.address), f"pair_{number}")
        for port, codes in wanted.items():
            if not codes:
                continue
            asks = alone & pair.matches(*codes)
            if port == LOCAL:
                taken = given & (harness.port("m_axis_tdata") == packet.data)
                harness.claim(~(asks & before.room) | taken)
            else:
                valid, found = harness.goes[harness.kind.ports.index(port) - 1]
                harness.claim(~asks | (valid & (found.as_value() == packet.as_value())))


def _routers(network: Network, kind: RouterKind) -> list[int]:
    number = network.router_kinds.index(kind)
    found = [r for r in range(network.topology.routers) if network.router_number[r] == number]
    return found[: max(1, _PAIRS // network.topology.nodes)]


PASSES = Property(
    name="passes",
    text="all that comes in leaves in the next clock, once and unchanged, and what is ejected is "
    "for the node",
    claim=_passes,
)
STREAMS = Property(
    name="streams", text="on m_axis nothing changes before it is taken", claim=_streams
)
INJECTION = Property(
    name="injection",
    text="a packet that has several beats, or is for no node, is taken and refused whole",
    claim=_injection,
)
TURNING = Property(
    name="turning",
    text="what is in its column turns at once; what came by the column leaves it for that alone",
    claim=_turning,
)


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router."""
    if not Deflection.of(network.routing).has_phases:
        return [INJECTION, PASSES, STREAMS, TURNING]
    count = len(_routers(network, kind))
    priority = Property(
        name="priority",
        text="of old packets to the address whose turn it is, one alone gets the port that it "
        f"wants, at {count} routers of this kind",
        claim=_priority,
    )
    return [INJECTION, PASSES, STREAMS, priority]
