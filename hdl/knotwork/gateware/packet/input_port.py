"""Input port: the buffers of its virtual channels, and the flit at its front."""

from collections.abc import Hashable, Mapping

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...routing import Turn
from ...untyped import Interface, Statement, View
from ..component import Component
from ..parts.arbiter import is_one_hot_or_zero, next_after
from .front import Front, FrontEncoding, OneHotRegister, next_channel
from .input_buffer import InputBuffer
from .inputs import OtherWay, select_name
from .probes import port_probes, show_channels, watched_channels, watched_places


class FrontPort(Component):
    """Input port whose outputs see one flit of it, its front; a subclass gives what is behind.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`.

    Members
    -------
    arrives, i, select_vc0, ..., full, left, turn, channel, held, last, flit, eligible, granted
        See `InputPort`.
    address : In(address_width)
        The router's own; only where broadcasts branch.
    crossing : Out(stored_layout)
        `flit` of the cycle before; only where a flit is on its link two cycles after its grant.
    nonempty : Out(channels)
        The channel has a flit; only where tables are loaded.
    waits, wants_vc0, ... : Out
        See `port_probes`; only with a monitor.
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
    nonempty: Signal
    eligible: Signal
    granted: Signal
    front_vc: OneHotRegister
    holds: Signal
    under_way: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network, self._kind = network, kind
        self._encoding = FrontEncoding(network, kind, port)
        self._buffer = self._make_buffer(port)
        self._is_staged = network.has_crossbar_stage
        self._watched = watched_channels(network, kind, port)
        self.requested: dict[int, Signal] = {}
        super().__init__(self._members(len(self._encoding.channels)))

    def _make_buffer(self, port: int) -> InputBuffer:
        return InputBuffer(self._network, self._kind, port)

    def _members(self, count: int) -> dict[str, Member]:
        """Members, with `count` virtual channels."""
        encoding, buffer = self._encoding, self._buffer.signature.members
        flit = buffer["flit"].shape
        return {
            "arrives": In(count),
            "i": In(flit),
            **{name: buffer[name] for name in self._selects()},
            "full": Out(count),
            "left": Out(count),
            "turn": Out(len(encoding.outputs)),
            **({"channel": Out(len(encoding.output_vcs))} if self.has_channel else {}),
            "held": Out(1),
            "last": Out(1),
            "flit": Out(flit),
            **({"crossing": Out(flit)} if self._is_staged else {}),
            **({"nonempty": Out(count)} if self._network.loads_tables else {}),
            **({"eligible": In(1)} if self.has_eligible else {}),
            "granted": In(1),
            **port_probes(self._watched),
        }

    @property
    def parameters(self) -> Hashable:
        """The buffer's, how the front is encoded, and what the network's options add."""
        watched = watched_places(self._watched, self._encoding)
        options = (self._is_staged, self._network.loads_tables, watched)
        return self._buffer.parameters, self._encoding.parameters, options

    @property
    def variant(self) -> str:
        return self._buffer.variant

    def _selects(self) -> list[str]:
        """Members that go to the buffer as they are: which turns flits take."""
        return [select_name(vc) for vc in self._buffer.turns]

    @property
    def turns(self) -> Mapping[int, tuple[Turn, ...]]:
        """Turns of packets to one node, by virtual channel, in the order of its select."""
        return self._buffer.turns

    @property
    def other_turns(self) -> Mapping[OtherWay, Mapping[int, tuple[Turn, ...]]]:
        """Turns of the other ways of packets, by the virtual channels where they have any."""
        return self._buffer.other_turns

    @property
    def encoding(self) -> FrontEncoding:
        """Order of the bits of `arrives`, `turn` and `channel`."""
        return self._encoding

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    @property
    def has_channel(self) -> bool:
        """Whether there is the member `channel`: flits leave by several virtual channels."""
        return len(self._encoding.output_vcs) > 1

    @property
    def has_eligible(self) -> bool:
        """Whether there is the member `eligible`: another flit may take the front's place."""
        return len(self._encoding.channels) > 1

    def takes(self, port: int, vc: int) -> Value:
        """Whether the front's flit takes a virtual channel of an output, if it turns there."""
        places = self._encoding.taken(port, vc)
        if places is None or not self.has_channel:
            return Const(places is None or bool(places))
        bits = [self.channel[place] for place in places]
        if len(bits) == 1:
            return bits[0]
        return Cat(bits).any() if bits else Const(0)

    def connect_grants(self, granted: list[Value]) -> list[Statement]:
        """Assignments of the outputs, in the order of `turn`, that take the front's flit."""
        return [self.granted.eq(Cat(granted).any())]

    def connect_sender(self, place: int, sender: Interface, vc: int) -> list[Statement]:
        """Assignments beside the handshake with a node, for the channel at a place of `arrives`."""
        del place, sender, vc
        return []

    def flit_to(self, port: int, flit: View) -> Value:
        """Flit as it enters an output's column of the crossbar; `flit` has all its bits."""
        del port
        return Value.cast(flit)

    def is_crossing(self, port: int) -> bool:
        """Whether that flit is `crossing`; a node's column of the crossbar is no stage."""
        return self._is_staged and port not in self._kind.node_ports

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
        self.holds = _inside_packets(m, "holds", leaves, self.last)
        return self.holds

    def _continues(self, m: Module) -> Value:
        """Whether the flit that arrives is not its packet's first; of several channels."""
        if len(self.arrives) == 1:
            return Const(0)
        self.under_way = _inside_packets(m, "under_way", self.arrives, self.i.last)
        return (self.arrives & self.under_way).any()

    def _connect_buffer(self, m: Module, here: Value, leaves: Value) -> None:
        """Connect the buffer behind the front, and show a monitor its channels.

        `here` and `leaves` have a bit per channel: its head is the front, and leaves the buffer.
        """
        m.submodules.buffer = buffer = self._buffer
        m.d.comb += [
            *(getattr(buffer, name).eq(getattr(self, name)) for name in self._selects()),
            buffer.arrives.eq(self.arrives),
            Value.cast(buffer.i).eq(Value.cast(self.i)),
            *([buffer.front_vc.eq(here)] if len(here) > 1 else []),
            buffer.leaves.eq(leaves),
            *([buffer.last.eq(self.last)] if "last" in buffer.signature.members else []),
            self.full.eq(buffer.full),
            Value.cast(self.flit).eq(Value.cast(buffer.flit)),
        ]
        if self._network.loads_tables:
            m.d.comb += self.nonempty.eq(buffer.nonempty)
        show_channels(m, self, self._watched, here=here, nonempty=buffer.nonempty, leaves=leaves)

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


class InputPort(FrontPort):
    """Buffers of an input port's virtual channels, and the flit at its front.

    The front is a register with the turn of one channel's head: the outputs see nothing else of the
    port. When its flit leaves, the next of its channel follows, or after a tail the head of another
    channel, in turn. A flit that cannot move gives its place to another channel's head. A flit that
    arrives is at the front in the next cycle if no other waits.

    Latency
    -------
    1 cycle from `arrives` to `turn`; 0 from there to `flit`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`.

    Members
    -------
    arrives, i, select_vc0, ..., full, flit
        As of `InputBuffer`; `flit` is the one at the front.
    left : Out(len(channels))
        A flit left the channel's buffer in the cycle before.
    turn : Out(len(outputs))
        One-hot: output that the front's flit turns to; 0 without one.
    channel : Out(len(output_vcs))
        One-hot: virtual channel that it takes there; not valid for the local output; only where
        there are several.
    held : Out(1)
        Its packet holds that virtual channel already.
    last : Out(1)
        It is its packet's last.
    eligible : In(1)
        The flit could cross in this cycle, if no other wanted its output; only where another flit
        may take the front's place.
    granted : In(1)
        It crosses, which it could.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.front_vc = front_vc = OneHotRegister.create(m, len(self.arrives), "front_vc")
        leaves = front_vc.value & self.granted.replicate(len(self.arrives))
        self._connect_buffer(m, front_vc.value, leaves)
        m.d.sync += self.left.eq(self._buffer.leaves)
        holds = self._holds(m, leaves)
        if len(self.arrives) == 1:  # The front's packet is that of the only channel.
            m.d.comb += self.held.eq(holds)
        self._front(m, front_vc, holds)
        self._stage(m)
        return m

    def _front(self, m: Module, front_vc: OneHotRegister, holds: Value) -> None:
        """Register with the flit that the outputs see, and what comes next."""
        here, arrives, count, buffer = front_vc.value, self.arrives, len(self.arrives), self._buffer
        follows, others = Signal(name="follows"), Signal(count, name="others")
        occupied, other = Signal(name="occupied"), Signal(name="other")
        stays, load = Signal(name="stays"), Signal(name="load")
        eligible = self._may_change(occupied)
        m.d.comb += [
            follows.eq((here & buffer.at_least_two).any()),
            others.eq(next_after(buffer.nonempty & ~here, here)),
            other.eq(others.any()),
            occupied.eq(buffer.nonempty.any()),
            # When the front changes, an eligible flit was granted.
            stays.eq(eligible & follows & ~(self.last & other)),
            load.eq(self.granted | (~eligible & (other | ~occupied))),
        ]
        same = new = self._encoding.of_entry(buffer.behind, here, ~self.last)
        if buffer.has_twin:
            m.d.comb += buffer.other_channel.eq(next_channel(here, others))
            held = (others & holds).any()
            new = self._encoding.of_entry(buffer.other, others, held)
        arriving = Front(buffer.arriving, arrives, self.i.last, self._continues(m))
        self._show(m, front_vc, load, (stays, other), (same, new, arriving))
        m.d.sync += Assert(
            (self.turn.any() == occupied) & is_one_hot_or_zero(self.turn),
            "input port: the front must have one turn if it has a flit",
        )

    def _show(
        self,
        m: Module,
        front_vc: OneHotRegister,
        load: Value,
        chosen: tuple[Value, Value],
        fronts: tuple[Front, Front, Front],
    ) -> None:
        """Load the registers with the first or second front if it is chosen, or with the third."""
        takes = OneHotRegister.create(m, len(self._encoding.output_vcs), "takes")
        if self.has_channel:
            m.d.comb += self.channel.eq(takes.value)
        registers = [self.turn, takes.register, front_vc.register, self.last]
        if len(self.arrives) > 1:
            registers.append(self.held)

        def stored(front: Front) -> list[Value]:
            turn, channel = self._encoding.turn(front), self._encoding.output_channel(front)
            came_by = front_vc.stored(front.channel)
            return [turn, takes.stored(channel), came_by, front.last, front.held][: len(registers)]

        with m.If(load):
            for register, *after in zip(registers, *map(stored, fronts), strict=True):
                m.d.sync += register.eq(
                    Mux(chosen[0], after[0], Mux(chosen[1], after[1], after[2]))
                )
