"""Pseudo-random bits from sixteen flip-flops."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

TAPS = 0xB400
"""Galois form of x^16 + x^14 + x^13 + x^11 + 1, whose period is 2^16 - 1."""


def node_seed(node: int) -> int:
    """Seed for the register of a node, far from the seeds of the nodes beside it."""
    return (node * 40503 + 0xACE1 - 1) % 0xFFFF + 1


class Lfsr(wiring.Component):
    """Linear-feedback shift register, one step per cycle.

    Parameters
    ----------
    seed : int
        First state, 1..65535.

    Members
    -------
    o : Out(16)
        State; never 0.
    """

    o: Value

    def __init__(self, *, seed: int) -> None:
        if not 1 <= seed <= 0xFFFF:
            raise ValueError(f"LFSR seed must be an integer in 1..65535, not {seed!r}")
        self._seed = seed
        super().__init__({"o": Out(16)})

    def elaborate(self, platform: object) -> Module:
        """Shift right; a one that is shifted out flips the taps."""
        del platform
        m = Module()
        state = Signal(16, init=self._seed)
        m.d.sync += state.eq((state >> 1) ^ Mux(state[0], TAPS, 0))
        m.d.comb += self.o.eq(state)
        return m
