"""Pseudo-random state of a switch."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ..component import Component


class XorShift(Component):
    """Marsaglia's 32-bit xorshift, from a seed that is an input.

    Latency
    -------
    1 cycle from `step` to the next state.

    Members
    -------
    seed : In(32)
        State before the first step, constant and not 0.
    step : In(1)
        Go on to the next state.
    state : Out(32)
        State after the last step; 0 before the first.

    References
    ----------
    G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003; shifts 13, 17, 5.
    """

    seed: Signal
    step: Signal
    state: Signal

    def __init__(self) -> None:
        super().__init__({"seed": In(32), "step": In(1), "state": Out(32)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # No state but the one before the first step is 0.
        now, once, twice = Signal(32, name="now"), Signal(32, name="once"), Signal(32, name="twice")
        m.d.comb += [
            now.eq(Mux(self.state.any(), self.state, self.seed)),
            once.eq(now ^ (now << 13)[:32]),
            twice.eq(once ^ (once >> 17)),
        ]
        with m.If(self.step):
            m.d.sync += self.state.eq(twice ^ (twice << 5)[:32])
        return m


def scan_start(m: Module, bits: Value, count: int, name: str) -> Value:
    """Number in 0..count - 1 that eight bits choose: their value times `count`, over 256."""
    if count < 2:
        return Const(0)
    scaled, start = (
        Signal(range(256 * count), name=f"{name}_scaled"),
        Signal(range(count), name=name),
    )
    m.d.comb += [scaled.eq(bits * count), start.eq(scaled >> 8)]
    return start
