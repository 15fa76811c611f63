"""Streams between two clocks of one source: of one frequency, but of any phase."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Module, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from .crossing import FULL_RATE, require_depth

SLOTS = 4
"""Places of a ring: a pulse stays in its own for so many cycles."""
_START = SLOTS + 1
"""Place that is read two cycles after the mark was seen to rise: it was written a cycle before."""


class PhaseRing(Component):
    """Pulses from one clock to another of the same frequency, by time alone.

    Each cycle writes one of four places in turn, and each cycle of the other clock reads one in
    turn, a cycle or more after it was written and two or more before it is written again. So no
    register reads what changes, though nothing but the mark, the ring's turns, is synchronised.
    The reader finds its place once after its reset, by the mark, and later compares with it: if the
    clocks come apart by two cycles it has slipped, and stays so until it is reset.

    The writing side has no reset. Its input must be low while it resets what drives it.

    Latency
    -------
    1 to 2 cycles, as the phase is; of this, the delay of the wires and what the clocks wander
    against each other may together take a cycle.

    Parameters
    ----------
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(1)
        Pulses, one cycle each.
    o : Out(1)
        The same at the other clock; none until `aligned`, nor once it has `slipped`.
    aligned : Out(1)
        The reader has found its place.
    slipped : Out(1)
        The clocks have come apart.

    References
    ----------
    W. Dally and J. Poulton, Digital Systems Engineering, 1998, section 10.3: synchronisers of
    clocks with one frequency.
    """

    i: Signal
    o: Signal
    aligned: Signal
    slipped: Signal

    def __init__(self, *, i_domain: str = "sync", o_domain: str = "sync") -> None:
        self._i_domain, self._o_domain = i_domain, o_domain
        super().__init__({"i": In(1), "o": Out(1), "aligned": Out(1), "slipped": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        writes, reads = m.d[self._i_domain], m.d[self._o_domain]
        turn, slots = (
            Signal(bits, name=name, reset_less=True)
            for bits, name in ((SLOTS.bit_length(), "turn"), (SLOTS, "slots"))
        )
        writes += turn.eq(turn + 1)
        with m.Switch(turn[:-1]):
            for place in range(SLOTS):
                with m.Case(place):
                    writes += slots[place].eq(self.i)
        # What is seen when a reset ends may have risen long before.
        seen, earlier = Signal(name="seen"), Signal(name="earlier", init=1)
        m.submodules.mark_cdc = FFSynchronizer(turn[-1], seen, o_domain=self._o_domain)
        reads += earlier.eq(seen)
        place = Signal.like(turn, name="place")
        with m.If(self.aligned):
            reads += place.eq(place + 1)
            # Two places after the mark's changes, and two before, a cycle more or less is nothing.
            with m.If((place[0] ^ place[1]) & (seen != place[-1])):
                reads += self.slipped.eq(1)
        with m.Elif(seen & ~earlier):
            reads += [self.aligned.eq(1), place.eq(_START)]
        now = slots.bit_select(place[:-1], 1)
        m.d.comb += self.o.eq(self.aligned & ~self.slipped & now)
        return m


class MesochronousCrossing(Component):
    """FIFO between two clocks of the same frequency, of which nothing waits for synchronisers.

    Words cross in a memory; that one has come, or left, crosses as a pulse of a `PhaseRing`.
    Nothing crosses until both rings have found their places. Both domains must be reset together,
    as `LinkResets` does.

    Latency
    -------
    1 to 2 cycles, as the phase is. One payload per cycle, from 8 words on.

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
    slipped : Out(1)
        The clocks have come apart; at that of `o_domain`. Until a reset nothing leaves then, and
        of what left a moment before words may be missing, doubled or wrong.
    """

    i: stream.Interface
    o: stream.Interface
    slipped: Signal

    def __init__(
        self,
        *,
        shape: ShapeLike,
        depth: int = FULL_RATE,
        i_domain: str = "sync",
        o_domain: str = "sync",
    ) -> None:
        self._depth = require_depth("mesochronous crossing", depth)
        self._i_domain, self._o_domain = i_domain, o_domain
        words = stream.Signature(shape)
        super().__init__({"i": In(words), "o": Out(words), "slipped": Out(1)})

    @property
    def parameters(self) -> Hashable:
        """Bits of the payload, depth, clocks."""
        return len(Value.cast(self.i.payload)), self._depth, self._i_domain, self._o_domain

    def elaborate(self, platform: object) -> Module:
        m = Module()
        puts, takes = m.d[self._i_domain], m.d[self._o_domain]
        into, out = Value.cast(self.i.payload), Value.cast(self.o.payload)
        here, there = self._i_domain, self._o_domain
        m.submodules.words = words = Memory(shape=len(into), depth=self._depth, init=[])
        write, read = words.write_port(domain=here), words.read_port(domain="comb")
        m.submodules.come = come = PhaseRing(i_domain=here, o_domain=there)
        m.submodules.gone = gone = PhaseRing(i_domain=there, o_domain=here)
        # `free`: places that the sender knows of; `owed`: those of which it is still to be told.
        count = range(self._depth + 1)
        free, put = Signal(count, name="free"), Signal(range(self._depth), name="put")
        held, taken = Signal(count, name="held"), Signal(range(self._depth), name="taken")
        owed, is_open = Signal(count, name="owed", init=self._depth), Signal(name="is_open")
        m.submodules.open_cdc = FFSynchronizer(gone.aligned, is_open, o_domain=there)
        leaves = Signal(name="leaves")
        m.d.comb += [
            self.i.ready.eq(free.any()),
            come.i.eq(self.i.valid & self.i.ready),
            Cat(write.addr, write.data, write.en).eq(Cat(put, into, come.i)),
            read.addr.eq(taken),
            self.o.valid.eq(held.any() & ~come.slipped),
            out.eq(read.data),
            leaves.eq(self.o.valid & self.o.ready),
            gone.i.eq(owed.any() & is_open & come.aligned),
            self.slipped.eq(come.slipped),
        ]
        puts += [free.eq(free + gone.o - come.i), put.eq(put + come.i)]
        takes += [
            held.eq(held + come.o - leaves),
            taken.eq(taken + leaves),
            owed.eq(owed + leaves - gone.i),
        ]
        return m
