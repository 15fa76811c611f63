"""Streams and events from one clock to another."""

from collections.abc import Hashable

from amaranth.hdl import Module, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.wiring import In, Out
from knotwork.errors import ConfigurationError
from knotwork.gateware.component import Component

FULL_RATE = 8
"""Words with which a crossing between equal clocks never waits for its pointers."""


def require_depth(part: str, depth: int) -> int:
    """Words of a crossing whose pointers go round by themselves.

    Raises
    ------
    ConfigurationError
        Any other number.
    """
    if depth < 4 or depth & depth - 1:
        raise ConfigurationError(f"{part}: depth must be a power of two of at least 4, not {depth}")
    return depth


class Crossing(Component):
    """Asynchronous FIFO between two clocks that need not know of each other.

    Its pointers cross in Gray code, by two registers each: Amaranth's `AsyncFIFO`. A reset of
    `i_domain` empties it; it must last for 4 cycles of `o_domain`, as `LinkResets` makes it.

    Latency
    -------
    2 to 3 cycles of `o_domain`. One payload per cycle of the slower clock, from 8 words on.

    Parameters
    ----------
    shape : shape
        Payload.
    depth : int
        Words, a power of two of at least 4.
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(stream of shape)
        What comes, at the clock of `i_domain`.
    o : Out(stream of shape)
        What leaves, at that of `o_domain`.

    References
    ----------
    C. Cummings, Simulation and Synthesis Techniques for Asynchronous FIFO Design, SNUG 2002, style
    2.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(
        self,
        *,
        shape: ShapeLike,
        depth: int = FULL_RATE,
        i_domain: str = "sync",
        o_domain: str = "sync",
    ) -> None:
        self._depth = require_depth("crossing", depth)
        self._i_domain, self._o_domain = i_domain, o_domain
        super().__init__(
            {"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))},
        )

    @property
    def parameters(self) -> Hashable:
        """Bits of the payload, depth, clocks."""
        return len(Value.cast(self.i.payload)), self._depth, self._i_domain, self._o_domain

    def elaborate(self, platform: object) -> Module:
        m = Module()
        into, out = Value.cast(self.i.payload), Value.cast(self.o.payload)
        m.submodules.fifo = fifo = AsyncFIFO(
            width=len(into), depth=self._depth, w_domain=self._i_domain, r_domain=self._o_domain
        )
        m.d.comb += [
            fifo.w_data.eq(into),
            fifo.w_en.eq(self.i.valid),
            self.i.ready.eq(fifo.w_rdy),
            out.eq(fifo.r_data),
            self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready),
        ]
        return m


class EventCrossing(Component):
    """Pulses from one clock to another: each comes out once, whatever the clocks' ratio.

    A Gray counter of the pulses crosses; what it is ahead comes out, a pulse per cycle. Up to
    ``2^width - 1`` pulses wait. Both domains must be reset together.

    Latency
    -------
    3 to 4 cycles of `o_domain` if none waits.

    Parameters
    ----------
    width : int
        Bits of the counter.
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(1)
        High for one cycle per event, also in cycles that follow each other.
    o : Out(1)
        The same at the other clock.
    """

    i: Signal
    o: Signal

    def __init__(self, *, width: int = 6, i_domain: str = "sync", o_domain: str = "sync") -> None:
        self._width, self._i_domain, self._o_domain = width, i_domain, o_domain
        super().__init__({"i": In(1), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, gray, following, crossed, told = (
            Signal(self._width, name=name)
            for name in ("count", "gray", "following", "crossed", "told")
        )
        m.d.comb += following.eq(count + self.i)
        m.d[self._i_domain] += [count.eq(following), gray.eq(following ^ following[1:])]
        m.submodules.gray_cdc = FFSynchronizer(gray, crossed, o_domain=self._o_domain)
        ahead = Signal()
        m.d.comb += ahead.eq(crossed != (told ^ told[1:]))
        m.d[self._o_domain] += self.o.eq(ahead)
        with m.If(ahead):
            m.d[self._o_domain] += told.eq(told + 1)
        return m
