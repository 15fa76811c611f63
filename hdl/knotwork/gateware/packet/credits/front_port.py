"""What input ports with a front have in common: their members, and what outputs ask of them."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from ....network import Network, RouterKind
from ....untyped import Interface, Statement, View
from ...layouts import flit_layout
from ...parts.route import RouteComputation
from .front import FrontEncoding
from .port_buffer import PortBuffer


class FrontPort(wiring.Component):
    """Input port whose outputs see one flit of it, its front; a subclass gives what is behind.

    Parameters
    ----------
    network, kind, port
        As for `PortBuffer`.

    Members
    -------
    address, arrives, i, full, left, turn, channel, held, last, flit, eligible, granted
        See `InputPort`.
    crossing : Out(flit_layout)
        `flit` of the cycle before; only where a flit is on its link two cycles after its grant.
    """

    address: Signal
    arrives: Signal
    i: View
    full: Signal
    left: Signal
    turn: Signal
    channel: Signal
    held: Signal
    last: Signal
    flit: View
    crossing: View
    eligible: Signal
    granted: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network, self._kind = network, kind
        self._encoding = FrontEncoding(network, kind, port)
        self._buffer = self._make_buffer(port)
        self._is_staged = network.has_crossbar_stage
        super().__init__(self._members(len(self._encoding.channels)))

    def _make_buffer(self, port: int) -> PortBuffer:
        return PortBuffer(self._network, self._kind, port)

    def _members(self, count: int) -> dict[str, Member]:
        """Members, with `count` virtual channels."""
        encoding, flit = self._encoding, flit_layout(self._network)
        return {
            "address": In(self._network.topology.address_width),
            "arrives": In(count),
            "i": In(flit),
            "full": Out(count),
            "left": Out(count),
            "turn": Out(len(encoding.outputs)),
            "channel": Out(len(encoding.output_vcs)),
            "held": Out(1),
            "last": Out(1),
            "flit": Out(flit),
            **({"crossing": Out(flit)} if self._is_staged else {}),
            "eligible": In(1),
            "granted": In(1),
        }

    @property
    def routes(self) -> dict[int, RouteComputation | None]:
        """Route computation of each virtual channel; None where only broadcasts come."""
        return self._buffer.routes

    @property
    def ways_out(self) -> Mapping[int, RouteComputation]:
        """Gates by which packets escape, of the virtual channels where they can."""
        return {}

    @property
    def encoding(self) -> FrontEncoding:
        """Order of the bits of `arrives`, `turn` and `channel`."""
        return self._encoding

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    def takes(self, port: int, vc: int) -> Value:
        """Whether the front's flit takes a virtual channel of an output, if it turns there."""
        reached, kind = self._encoding.output_vcs, self._kind
        if port in self._encoding.lone_ports or kind.output_vcs(port) == reached == [vc]:
            return Const(1)
        return self.channel[reached.index(vc)] if vc in reached else Const(0)

    def hear_grants(self, granted: list[Value]) -> list[Statement]:
        """Assignments that tell which outputs, in the order of `turn`, take the front's flit."""
        return [self.granted.eq(Cat(granted).any())]

    def hear_sender(self, place: int, sender: Interface, vc: int) -> list[Statement]:
        """Assignments beside the handshake with a node, for the channel at a place of `arrives`."""
        del place, sender, vc
        return []

    def flit_to(self, port: int) -> Value:
        """Flit as it enters an output's column of the crossbar."""
        return Value.cast(self._entering(port))

    def _entering(self, port: int) -> View:
        """The same without what the input changes of it; before a node's column is no stage."""
        is_staged = self._is_staged and port not in self._kind.node_ports
        return self.crossing if is_staged else self.flit

    def _stage(self, m: Module) -> str:
        """Register between grant and crossbar, or none; gives the domain of what goes with it."""
        if not self._is_staged:
            return "comb"
        crossing = Signal.like(Value.cast(self.flit), reset_less=True, name="crossing_flit")
        m.d.sync += crossing.eq(Value.cast(self.flit))
        m.d.comb += Value.cast(self.crossing).eq(crossing)
        return "sync"

    def _holds(self, m: Module, leaves: Value) -> Signal:
        """Whether the packet of each channel's head holds its output's virtual channel."""
        return _inside_packets(m, "holds", leaves, self.last)

    def _continues(self, m: Module) -> Value:
        """Whether the flit that arrives is not its packet's first; of several channels."""
        if len(self.arrives) == 1:
            return Const(0)
        inside = _inside_packets(m, "under_way", self.arrives, self.i.last)
        return (self.arrives & inside).any()

    def _may_change(self, occupied: Value) -> Value:
        """Whether the front's flit could go, or another channel's takes its place.

        With one channel there is no other: its flit stays until it is granted.
        """
        return self.eligible if len(self.arrives) > 1 else occupied


def _inside_packets(m: Module, name: str, passes: Value, last: Value) -> Signal:
    """Whether the flit of each channel that passes next is not its packet's first."""
    inside = Signal(len(passes), name=name)
    for place, one in enumerate(passes):
        with m.If(one):
            m.d.sync += inside[place].eq(~last)
    return inside
