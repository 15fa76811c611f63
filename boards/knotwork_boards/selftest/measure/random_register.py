"""Random words in hardware: the register of `measuring.random_words`."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...measuring.random_words import STATE_WIDTH, TAPS, WORD_WIDTH, salt
from ...measuring.settings import SEED_WIDTH


class RandomRegister(wiring.Component):
    """Stream of random words of a node.

    Parameters
    ----------
    node, stream : int
        Node, and which of its streams.

    Members
    -------
    seed : In(SEED_WIDTH)
        Seed of all streams.
    load : In(1)
        Begins anew.
    step : In(1)
        Goes on to the next word.
    o : Out(16)
        Word.
    """

    seed: Value
    load: Value
    step: Value
    o: Value

    def __init__(self, *, node: int, stream: int) -> None:
        self._salt = salt(node, stream)
        super().__init__(
            {"seed": In(SEED_WIDTH), "load": In(1), "step": In(1), "o": Out(WORD_WIDTH)}
        )

    def elaborate(self, platform: object) -> Module:
        """Take as many steps at once as a word has bits."""
        del platform
        m = Module()
        state = Signal(STATE_WIDTH, init=1)
        new = Cat(reduce(xor, (state[i + tap] for tap in TAPS)) for i in range(WORD_WIDTH))
        m.d.comb += self.o.eq(state[:WORD_WIDTH])
        with m.If(self.load):
            m.d.sync += state.eq(Cat(self.seed ^ Const(self._salt & ~(-1 << SEED_WIDTH)), 1))
        with m.Elif(self.step):
            m.d.sync += state.eq(Cat(state[WORD_WIDTH:], new))
        return m
