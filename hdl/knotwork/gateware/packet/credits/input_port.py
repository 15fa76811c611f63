"""Input port: the buffers of its virtual channels, and the flit at its front."""

from typing import NamedTuple

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ....network import Network, RouterKind
from ....topology import LOCAL
from ....untyped import View
from ...layouts import flit_layout
from ...parts.arbiter import is_one_hot_or_zero, next_after
from ...parts.crossbar import one_hot_mux
from ...parts.network_routes import route_computation
from ...parts.route import RouteComputation, input_turns
from ..header import carried, completed
from .turn_queue import TurnQueue


class _Way(NamedTuple):
    """Output that a flit turns to, and its class there; it stays in its lane."""

    output: int
    out_class: int


class InputPort(wiring.Component):
    """Buffers of an input port's virtual channels, in one RAM, and the flit at its front.

    One flit of the port can cross in a cycle, so one read port serves all channels. The front is a
    register with the turn of one channel's head: the outputs see nothing else of the port. When the
    flit at the front leaves, the next of its channel follows, or after a tail the head of another
    channel, in turn. A flit that cannot move gives its place to another channel's head.

    A flit that arrives is at the front in the next cycle if no other waits.

    Latency
    -------
    1 cycle from `arrives` to `turn`; 0 from there to `flit`.

    Parameters
    ----------
    network : Network
        Widths, depth, routes.
    kind : RouterKind
        Turns.
    port : int
        Number in the topology.

    Members
    -------
    address : In(address_width)
        The router's own address.
    arrives : In(len(channels))
        One-hot: the channel of `i`, in the order of `channels`.
    i : In(flit_layout)
        Flit that arrives.
    full : Out(len(channels))
        The channel has no place for a flit.
    left : Out(len(channels))
        A flit left the channel's buffer in the cycle before.
    turn : Out(len(outputs))
        One-hot: output that the front's flit turns to; 0 without one.
    channel : Out(len(output_vcs))
        One-hot: virtual channel that it takes there; not valid for the local output.
    held : Out(1)
        Its packet holds that virtual channel already.
    last : Out(1)
        It is its packet's last.
    flit : Out(flit_layout)
        The flit itself.
    eligible : In(1)
        The flit could cross in this cycle, if no other wanted its output.
    granted : In(1)
        It crosses; only with `eligible`.
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
    eligible: Signal
    granted: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network = network
        self._known = network.known_header(kind, port)
        classes = network.routing.classes
        self._channels = kind.input_vcs(port)
        turns = [turn for turn in kind.turns if turn.input_port == port]
        self._outputs = sorted({turn.output_port for turn in turns})
        ahead = {turn.output_vc for turn in turns if turn.output_port != LOCAL}
        self._output_vcs = sorted(ahead) or [0]
        self._ways = sorted({_Way(turn.output_port, turn.output_vc % classes) for turn in turns})
        self._routes: dict[int, RouteComputation] = {}
        make = route_computation(network)
        for vc in self._channels:
            self._routes[vc] = make(network, input_turns(kind, port, vc), router=kind.router)
        count = len(self._channels)
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "arrives": In(count),
                "i": In(flit_layout(network)),
                "full": Out(count),
                "left": Out(count),
                "turn": Out(len(self._outputs)),
                "channel": Out(len(self._output_vcs)),
                "held": Out(1),
                "last": Out(1),
                "flit": Out(flit_layout(network)),
                "eligible": In(1),
                "granted": In(1),
            }
        )

    @property
    def channels(self) -> list[int]:
        """Virtual channels by which flits come in, rising."""
        return self._channels

    @property
    def outputs(self) -> list[int]:
        """Output ports in the order of `turn`."""
        return self._outputs

    @property
    def output_vcs(self) -> list[int]:
        """Virtual channels in the order of `channel`."""
        return self._output_vcs

    @property
    def routes(self) -> dict[int, RouteComputation]:
        """Route computation of each virtual channel."""
        return self._routes

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shown = _one_hot_register(m, len(self._channels))
        queues = self._queues(m, shown)
        self._ram(m, shown.value, queues)
        self._front(m, shown, queues)
        return m

    def _queues(self, m: Module, shown: "_OneHot") -> list[TurnQueue]:
        """Queue of each channel, with the turns of its flits."""
        width = _bits(len(self._ways))
        queues = []
        self._arriving = Signal(len(self._ways), name="arriving")  # way of the flit that arrives
        arriving: list[Value] = []
        for place, vc in enumerate(self._channels):
            way = self._way(m, vc)
            code = Cat(
                Cat(way[n] for n in range(len(way)) if n >> bit & 1).any() for bit in range(width)
            )
            depth = self._network.hardware.input_buffer
            queue = TurnQueue(width=width + 1, depth=depth)
            m.submodules[f"queue_vc{vc}"] = queue
            m.d.comb += [
                queue.arrives.eq(self.arrives[place]),
                queue.i.eq(Cat(code, self.i.last)),
                queue.shown.eq(shown.value[place]),
                queue.leaves.eq(shown.value[place] & self.granted),
                self.full[place].eq(queue.full),
            ]
            m.d.sync += self.left[place].eq(queue.leaves)
            arriving.append(way & self.arrives[place].replicate(len(way)))
            queues.append(queue)
        merged: Value = Const(0, len(self._ways))
        for way in arriving:
            merged = merged | way
        m.d.comb += self._arriving.eq(merged)
        return queues

    def _way(self, m: Module, vc: int) -> Signal:
        """Way of the flit that arrives, if it comes by this channel."""
        way = Signal(len(self._ways), name=f"way_vc{vc}")
        route = self._routes[vc]
        m.submodules[f"route_vc{vc}"] = route
        m.d.comb += [route.address.eq(self.address), route.destination.eq(self.i.destination)]
        classes = self._network.routing.classes
        for number, turn in enumerate(route.turns):
            place = self._ways.index(_Way(turn.output_port, turn.output_vc % classes))
            m.d.comb += way[place].eq(route.select[number])
        arrives = self.arrives[self._channels.index(vc)]
        m.d.sync += Assert(
            ~arrives | (is_one_hot_or_zero(way) & way.any()),
            "input port: a flit must take one turn of its router",
        )
        return way

    def _ram(self, m: Module, shown: Value, queues: list[TurnQueue]) -> None:
        """One RAM for the flits of all channels."""
        rest = carried(self.i, self._known)
        places = 1 << len(queues[0].head)
        count = 1 << _bits(len(queues))
        m.submodules.ram = ram = Memory(shape=len(rest), depth=count * places, init=[])
        write, read = ram.write_port(), ram.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.arrives.any()),
            write.data.eq(rest),
            write.addr.eq(
                Cat(one_hot_mux(list(self.arrives), [q.into for q in queues]), _index(self.arrives))
            ),
            read.addr.eq(Cat(one_hot_mux(list(shown), [q.head for q in queues]), _index(shown))),
            Value.cast(self.flit).eq(completed(self.flit, self._known, self.address, read.data)),
        ]

    def _front(self, m: Module, shown: "_OneHot", queues: list[TurnQueue]) -> None:
        """Register with the flit that the outputs see, and what comes next."""
        here, arrives = shown.value, self.arrives
        follows, others = Signal(name="follows"), Signal(len(queues), name="others")
        some, more = Cat(queue.some for queue in queues), Cat(queue.more for queue in queues)
        occupied, other = Signal(name="occupied"), Signal(name="other")
        stays, load = Signal(name="stays"), Signal(name="load")
        holds = self._holds(m, here)
        m.d.comb += [
            follows.eq((here & more).any()),
            others.eq(next_after(some & ~here, here)),
            other.eq(others.any()),
            # When the front changes, an eligible flit was granted.
            stays.eq(self.eligible & follows & ~(self.last & other)),
            load.eq(self.granted | (~self.eligible & (other | ~occupied))),
        ]
        entries = [queue.entry for queue in queues]
        same = self._next(one_hot_mux(list(here), entries), here, ~self.last)
        new = self._next(one_hot_mux(list(others), entries), others, (others & holds).any())
        goes_on = (arrives & here).any() & occupied
        held = Mux(goes_on, ~self.last, (arrives & holds).any())
        arriving = _Front(self._arriving, arrives, self.i.last, held)
        after = [
            Mux(stays, one, Mux(other, two, three))
            for one, two, three in zip(
                *(self._registered(front, shown) for front in (same, new, arriving)), strict=True
            )
        ]
        front = [self.turn, self.channel, shown.register, self.last, self.held]
        with m.If(load):
            m.d.sync += [register.eq(value) for register, value in zip(front, after, strict=True)]
            m.d.sync += occupied.eq(stays | other | arrives.any())
        m.d.sync += Assert(
            (self.turn.any() == occupied) & is_one_hot_or_zero(self.turn),
            "input port: the front must have one turn if it has a flit",
        )

    def _next(self, entry: Value, channel: Value, held: Value) -> "_Front":
        """Front that a queue's entry makes."""
        return _Front(_decoded(entry[:-1], len(self._ways)), channel, entry[-1], held)

    def _registered(self, front: "_Front", shown: "_OneHot") -> list[Value]:
        """Values of the registers of a front."""
        turns = [
            Cat(front.way[n] for n, way in enumerate(self._ways) if way.output == port).any()
            for port in self._outputs
        ]
        vcs = [self._goes_to(vc, front.channel, front.way) for vc in self._output_vcs]
        channel = front.channel[len(front.channel) - len(shown.register) :]
        return [Cat(turns), Cat(vcs), channel, front.last, front.held]

    def _holds(self, m: Module, shown: Value) -> Signal:
        """Whether the packet of each channel's head holds its output's virtual channel."""
        holds = Signal(len(self._channels), name="holds")
        with m.If(self.granted):
            m.d.sync += holds.eq((holds & ~shown) | (shown & (~self.last).replicate(len(holds))))
        return holds

    def _goes_to(self, vc: int, taken: Value, way: Value) -> Value:
        """Whether the flit that comes to the front takes a virtual channel of its output."""
        classes = self._network.routing.classes
        lane, out_class = divmod(vc, classes)
        lanes = [n for n, number in enumerate(self._channels) if number // classes == lane]
        here = [
            n
            for n, found in enumerate(self._ways)
            if found.output != LOCAL and found.out_class == out_class
        ]
        ahead = [n for n, found in enumerate(self._ways) if found.output != LOCAL]
        in_lane = Const(1) if len(lanes) == len(self._channels) else Cat(taken[n] for n in lanes)
        in_class = Const(1) if here == ahead else Cat(way[n] for n in here)
        return in_lane.any() & in_class.any()


class _Front(NamedTuple):
    """Flit that comes to the front: its way and its channel, one-hot, and what else is known."""

    way: Value
    channel: Value
    last: Value
    held: Value


class _OneHot(NamedTuple):
    """One-hot value, and its register; of two bits only the second is stored, of one none."""

    value: Value
    register: Signal


def _one_hot_register(m: Module, count: int) -> _OneHot:
    """One-hot register in which the first bit is set after a reset."""
    if count == 1:
        return _OneHot(Const(1), Signal(0, name="shown"))
    value = Signal(count, name="shown")
    register = Signal(1 if count == 2 else count, init=0 if count == 2 else 1, name="shown_of")
    m.d.comb += value.eq(Cat(~register, register) if count == 2 else register)
    return _OneHot(value, register)


def _bits(count: int) -> int:
    """Bits of a number below `count`."""
    return (count - 1).bit_length()


def _index(one_hot: Value) -> Value:
    """Number of the bit that is set."""
    count = len(one_hot)
    return Cat(
        Cat(one_hot[n] for n in range(count) if n >> bit & 1).any() for bit in range(_bits(count))
    )


def _decoded(code: Value, count: int) -> Value:
    """One-hot of a number below `count`."""
    if count == 1:
        return Const(1)
    return Cat(code == number for number in range(count))
