"""What keeps packets whole where a node's clock stops, or the node alone is reset."""

from amaranth.hdl import Cat, Const, Module, Mux, ShapeLike, Signal, Value, ValueLike
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...payload import Payload
from .converters import Header, plane_layout


def _user(payload: Payload, beat: View) -> Value:
    """User's bits of a plane's beat; they are its highest."""
    return Value.cast(beat.data)[payload.width - payload.user_width :]


def _closing(
    m: Module, beat: View, payload: Payload, user: Value, header: dict[str, ValueLike]
) -> None:
    """Let a beat be the one that ends a packet cut short: zeros, of as few units as there are."""
    absent = payload.units - (not payload.keep)
    m.d.comb += [
        beat.data.eq(Cat(Const(0, payload.data_width), Const(absent, payload.absent_width), user)),
        beat.last.eq(1),
    ]
    m.d.comb += [beat[name].eq(value) for name, value in header.items()]


class InjectionGuard(Component):
    """Lets no packet into a plane stay without its end.

    If the node's clock has stopped within a packet, and when all that came of it is sent, a beat of
    zeros ends the packet, with no unit if a beat can have none. What comes of it later is dropped.
    After a reset of the node the same, but what comes is a new packet.

    Latency
    -------
    1 cycle; one beat per cycle.

    Parameters
    ----------
    payload : Payload
        What the plane's flits carry.
    header : mapping of str to shape
        Fields of the plane's beats beside data and `last`, as in `inject_layout`.

    Members
    -------
    i : In(stream of plane_layout)
        From the node; may break off.
    o : Out(stream of plane_layout)
        To the plane, by the rules of streams.
    stopped : In(1)
        The node's clock stands still.
    flushed : In(1)
        What was on the way from the node is gone.
    cut : Out(1)
        High for one cycle for each packet cut short.
    """

    i: stream.Interface
    o: stream.Interface
    stopped: Signal
    flushed: Signal
    cut: Signal

    def __init__(self, *, payload: Payload, header: Header) -> None:
        self._payload = payload
        beats = stream.Signature(plane_layout(payload, header))
        super().__init__(
            {"i": In(beats), "o": Out(beats), "stopped": In(1), "flushed": In(1), "cut": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        full = Signal(name="full")
        kept: View = Signal(self.i.p.shape(), name="kept", reset_less=True)
        # `begun`: the plane has a part of a packet. `ends`: a closing beat is due.
        begun, ends, skips = Signal(name="begun"), Signal(name="ends"), Signal(name="skips")
        takes, breaks, is_open = Signal(name="takes"), Signal(name="breaks"), Signal(name="is_open")
        self.full, self.kept, self.begun, self.ends = full, kept, begun, ends
        self.skips, self.takes, self.breaks = skips, takes, breaks
        sent: View = self.o.p
        closing = Signal(self.o.p.shape(), name="closing")
        _closing(m, closing, self._payload, _user(self._payload, kept), {})
        m.d.comb += [
            self.o.valid.eq(full | ends),
            Value.cast(sent).eq(Mux(full, Value.cast(kept), Value.cast(closing))),
            takes.eq(self.i.valid & ~self.flushed & ~skips & ~ends & (~full | self.o.ready)),
            self.i.ready.eq(skips | (~self.flushed & ~ends & (~full | self.o.ready))),
            # A reset of the node may come within a register's setup time: so only what the register
            # then holds says whether a packet is open.
            is_open.eq(Mux(full, ~kept.last, begun)),
            breaks.eq(is_open & ~ends & (self.flushed | (self.stopped & ~self.i.valid & ~full))),
        ]
        with m.If(self.o.ready):
            m.d.sync += full.eq(0)
            with m.If(full):
                m.d.sync += begun.eq(~kept.last)
            with m.Elif(ends):
                m.d.sync += [ends.eq(0), begun.eq(0)]
        with m.If(takes):
            m.d.sync += [full.eq(1), kept.eq(self.i.p)]
        with m.If(breaks):
            m.d.sync += [ends.eq(1), skips.eq(1)]
        with m.Elif(skips & self.i.valid & self.i.p.last):
            m.d.sync += skips.eq(0)
        with m.If(self.flushed):
            m.d.sync += skips.eq(0)
        m.d.sync += self.cut.eq(breaks)
        return m


class EjectionGuard(Component):
    """Takes and drops what is for a node that cannot take it; lets only whole packets follow.

    A packet of which the node has a part already ends, once the node's clock runs again, with a
    beat of zeros, with no unit if a beat can have none. After a reset of the node that part is gone
    with it.

    Latency
    -------
    0 cycles; `dropped` comes in the cycle after the packet's last beat.

    Parameters
    ----------
    payload : Payload
        What the plane's flits carry.
    header : mapping of str to shape
        Fields of the plane's beats beside data and `last`, as in `eject_layout`.

    Members
    -------
    i : In(stream of plane_layout)
        From the plane.
    o : Out(stream of plane_layout)
        To the node; may break off while `stopped` or `flushed`.
    stopped : In(1)
        The node's clock stands still.
    flushed : In(1)
        What is on the way to the node is gone.
    dropped : Out(1)
        High for one cycle for each packet of which beats were dropped.
    """

    i: stream.Interface
    o: stream.Interface
    stopped: Signal
    flushed: Signal
    dropped: Signal

    def __init__(self, *, payload: Payload, header: Header) -> None:
        self._payload = payload
        self._header: dict[str, ShapeLike] = dict(header)
        beats = stream.Signature(plane_layout(payload, header))
        super().__init__(
            {"i": In(beats), "o": Out(beats), "stopped": In(1), "flushed": In(1), "dropped": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat: View = self.i.p
        # `inside`: the plane is within a packet. `begun`: the node has a part of one.
        inside, begun = Signal(name="in_packet"), Signal(name="begun")
        rest, ends = Signal(name="rest"), Signal(name="ends")
        down, drops = Signal(name="down"), Signal(name="drops")
        kept = {
            name: Signal.like(Value.cast(beat[name]), name=f"kept_{name}", reset_less=True)
            for name in self._header
        }
        closing = Signal(self.o.p.shape(), name="closing")
        user = Signal(self._payload.user_width, name="kept_user", reset_less=True)
        _closing(m, closing, self._payload, user, {**kept})
        self.in_packet, self.begun, self.rest, self.ends = inside, begun, rest, ends
        self.kept, self.kept_user = kept, user
        passes = Signal(name="passes")
        m.d.comb += [
            down.eq(self.stopped | self.flushed),
            drops.eq(down | rest),
            passes.eq(~drops & ~ends),
            self.o.valid.eq(Mux(ends, ~down, passes & self.i.valid)),
            Value.cast(self.o.p).eq(Mux(ends, Value.cast(closing), Value.cast(beat))),
            self.i.ready.eq(drops | (passes & self.o.ready)),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [inside.eq(~beat.last), rest.eq(drops & ~beat.last)]
        with m.Elif(down & inside):
            m.d.sync += rest.eq(1)
        with m.If(passes & self.i.valid & self.o.ready):
            m.d.sync += begun.eq(~beat.last)
            m.d.sync += [signal.eq(beat[name]) for name, signal in kept.items()]
            m.d.sync += user.eq(_user(self._payload, beat))
        with m.If(begun & drops):
            m.d.sync += ends.eq(1)
        with m.If(ends & ~down & self.o.ready):
            m.d.sync += [ends.eq(0), begun.eq(0)]
        with m.If(self.flushed):
            m.d.sync += [ends.eq(0), begun.eq(0)]
        m.d.sync += self.dropped.eq(drops & self.i.valid & beat.last)
        return m
