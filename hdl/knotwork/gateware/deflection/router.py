"""Bufferless deflection router of any direct network."""

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value

from ...routing.deflection import Deflection
from ...topology import LOCAL
from ...untyped import Interface, View
from ..parts.crossbar import one_hot_mux
from ..parts.network_routes import route_computation
from .base_routes import base_network, own_table
from .layouts import packet_layout
from .node import BufferlessRouter, Ejection


class _Input(NamedTuple):
    """State of one input in a cycle.

    Members
    -------
    valid : Value
        There is a packet.
    packet : View
        The packet.
    home : Value
        It is for the node here.
    wants : dict of int to Value
        Port that it wants, one-hot; 0 where it is for the node.
    first : Value
        It has priority over all others.
    """

    valid: Value
    packet: View
    home: Value
    wants: dict[int, Value]
    first: Value


class DeflectionRouter(BufferlessRouter):
    """Router that forwards every packet in the cycle after it arrived.

    One packet for the node is ejected, if the node has room. Each other packet gets the port that
    it wants unless another packet gets it: old packets to the address whose turn it is go first,
    then the lowest input. The remaining packets get the remaining ports, lowest input to lowest
    port. The node's packet enters if the port that it wants is still free before that assignment,
    and if some input needs no port.

    Latency
    -------
    1 cycle from link to link, from `inject` to a link, and from a link or `inject` to `eject`.

    Parameters
    ----------
    network : Network
        Parameters; the gates of the routing's base compute routes.
    kind : RouterKind
        Connected ports, and the turns from the node.

    Members
    -------
    address, inject, eject, refused, i, o
        See `router_signature`.

    References
    ----------
    As `routing.deflection.Deflection`, which shows that every packet arrives.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports = self.kind.ports[1:]
        routing = Deflection.of(self.network.routing)
        width = self.network.topology.address_width
        low = routing.turn_clocks.bit_length() - 1
        now = Signal(low + width + 1)
        m.d.sync += now.eq(now + 1)
        phase, turn = now[-1], now[low:-1]

        links = []
        for port, link in zip(ports, self.i, strict=True):
            old = link.packet.phase != phase
            name = self.network.topology.ports[port]
            first = Signal(name=f"{name}_has_priority")
            m.d.comb += first.eq(link.valid & old & (link.packet.destination == turn))
            links.append(self._input(m, name, link.valid, link.packet, first))
        packet, injector = self.from_node(m, phase=phase)
        node = self._input(m, "local", injector.valid, packet, Const(0))

        ejection = Ejection(m, self.eject)
        home = [link.valid & link.home for link in links]
        firsts = [link.first for link in links]
        ejected = _chosen(m, "ejected", home, firsts, ejection.room)
        stays = Signal(len(links))
        m.d.comb += stays.eq(Cat(link.valid for link in links) & ~ejected)

        granted = {}
        for port in ports:
            asks = [link.valid & link.wants[port] for link in links]
            name = f"granted_{self.network.topology.ports[port]}"
            granted[port] = _chosen(m, name, asks, firsts, Const(1))
        in_use = Signal(len(ports))
        m.d.comb += in_use.eq(Cat(granted[port].any() for port in ports))
        asked = Cat(node.wants[port] for port in ports)
        goes_out, goes_home = Signal(name="goes_out"), Signal(name="goes_home")
        m.d.comb += [
            goes_out.eq(~node.home & ~(asked & in_use).any() & ~stays.all()),
            goes_home.eq(node.home & ejection.room & ~ejected.any()),
            injector.ready.eq(goes_out | goes_home),
        ]
        enters = Signal(len(ports))
        m.d.comb += enters.eq(asked & (node.valid & goes_out).replicate(len(ports)))
        taken = self._left_over(m, stays, granted, in_use | enters)

        for place, (port, out) in enumerate(zip(ports, self.o, strict=True)):
            select = [*(granted[port] | taken[place]), enters[place]]
            payload = Signal(packet_layout(self.network), reset_less=True, name=f"to_{port}")
            m.d.sync += [
                out.valid.eq(Cat(select).any()),
                payload.eq(one_hot_mux(select, [*(link.packet for link in links), node.packet])),
            ]
            m.d.comb += out.packet.eq(payload)
        gives = [*ejected, node.valid & goes_home]
        ended: View = Signal(packet_layout(self.network))
        m.d.comb += ended.eq(one_hot_mux(gives, [*(link.packet for link in links), node.packet]))
        ejection.give(Cat(gives).any(), ended)
        return m

    def _input(self, m: Module, name: str, valid: Value, packet: View, first: Value) -> _Input:
        """Input with the route of its packet."""
        base = base_network(self.network)
        turns, router = self.kind.turns, self.kind.router
        route: Interface = route_computation(base)(base, turns, router=router)
        m.submodules[f"route_{name}"] = route
        if own_table(self.network, self.kind) is not None:
            own: Interface = self
            m.d.comb += route.table.eq(own.routes)
        m.d.comb += [route.address.eq(self.address), route.destination.eq(packet.destination)]
        wants = {}
        for port in self.kind.ports:
            select = [route.select[n] for n, turn in enumerate(turns) if turn.output_port == port]
            wants[port] = Cat(select).any()
        home = wants.pop(LOCAL)
        return _Input(valid, packet, home, wants, first)

    def _left_over(
        self, m: Module, stays: Signal, granted: dict[int, Signal], in_use: Value
    ) -> list[Value]:
        """For each output, which of the inputs without a grant it serves."""
        ports = range(len(granted))
        rows = list(granted.values())
        lost, free = Signal(len(rows), name="lost"), Signal(len(rows), name="free")
        m.d.comb += [
            lost.eq(stays & ~Cat(Cat(row[k] for row in rows).any() for k in ports)),
            free.eq(~in_use),
        ]
        # The k-th remaining packet gets the k-th free port: both are counted in parallel.
        place, number = _counted(m, lost, "lost"), _counted(m, free, "free")
        taken: list[Value] = [
            Cat(lost[k] & free[port] & (place[k] == number[port]) for k in ports) for port in ports
        ]
        ways = Cat(column.any() for column in taken)
        m.d.sync += Assert(
            sum(ways, Const(0)) == sum(lost, Const(0)), "deflection: a packet must have a way"
        )
        return taken


def _counted(m: Module, bits: Signal, name: str) -> list[Signal]:
    """Number of bits set below each."""
    counts = [Signal(range(len(bits)), name=f"{name}_below_{k}") for k in range(len(bits))]
    m.d.comb += [count.eq(sum(bits[:k], Const(0))) for k, count in enumerate(counts)]
    return counts


def _chosen(
    m: Module, name: str, asks: Sequence[Value], firsts: Sequence[Value], may: Value
) -> Signal:
    """One-hot: the lowest requester, among those with priority if any asks; 0 unless `may`."""
    chosen = Signal(len(asks), name=name)
    first = Signal(len(asks), name=f"{name}_first")
    all_asks = Signal(len(asks), name=f"{name}_asks")
    m.d.comb += [all_asks.eq(Cat(asks)), first.eq(all_asks & Cat(firsts))]
    served = Mux(first.any(), first, all_asks)
    bits = Signal(len(asks), name=f"{name}_served")
    m.d.comb += [bits.eq(served), chosen.eq(_lowest(bits) & may.replicate(len(asks)))]
    return chosen


def _lowest(bits: Value) -> Value:
    """Lowest bit that is set, alone."""
    return Cat(bits[k] & ~bits[:k].any() for k in range(len(bits)))
