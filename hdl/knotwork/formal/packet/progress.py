"""Claims that a flit whose output is ready again and again leaves."""

from typing import Any

from amaranth.hdl import Cat, Const, Signal, Value

from ..prover import Property
from .bench import PacketBench
from .channel import Channel
from .output import Arbiter, Output

LENGTH_BITS = 4
"""Bits of the longest packet's length, which is any number."""


class _Packets:
    """What leaves by one virtual channel of an output.

    Members
    -------
    length : Value
        Flits of the longest packet.
    passed : Signal
        Flits of the packet under way that have left.
    """

    def __init__(self, bench: PacketBench, output: Output, vc: int) -> None:
        name = f"{output.name}_vc{vc}"
        self.length = bench.any_length
        self.passed = bench.register(LENGTH_BITS, f"passed_{name}")
        with bench.m.If(output.crosses(vc)):
            longer = self.passed + 1
            bench.m.d.sync += self.passed.eq(
                longer[:LENGTH_BITS] & ~output.flit.last.replicate(LENGTH_BITS)
            )
        bench.assume(~output.crosses(vc) | output.flit.last | (self.passed + 1 < self.length))
        bench.claim(self.passed < self.length)


def _progress(bench: PacketBench) -> None:
    bench.assume(bench.any_length != 0)
    for output in bench.outputs:
        for vc in output.vcs:
            packets = _Packets(bench, output, vc)
            arbiter = output.arbiter(vc)
            turns = output.turns(vc)
            asks = Cat(channel.asks(turn) for channel, turn in turns)
            held = arbiter.hold & ~(asks & arbiter.last).any()
            bench.claim(held | ~asks.any() | arbiter.grant.any())
            if output.is_plain:
                bench.claim(~(arbiter.grant.any() & output.ready[vc]) | output.crosses(vc))
            for number, asker in enumerate(turns):
                _waits(
                    bench,
                    output,
                    vc,
                    number=number,
                    asker=asker,
                    arbiter=arbiter,
                    held=held,
                    packets=packets,
                )


def _waits(
    bench: PacketBench,
    output: Output,
    vc: int,
    *,
    number: int,
    asker: tuple[Channel, Any],
    arbiter: Arbiter,
    held: Value,
    packets: _Packets,
) -> None:
    """Claim how many packets, and clocks that an output could use, a flit waits for."""
    m, count = bench.m, arbiter.requesters
    channel, turn = asker
    name = f"{output.name}_vc{vc}_{number}"
    asks = bench.named(channel.asks(turn), f"asks_{name}")
    goes = bench.named(channel.goes(turn), f"goes_{name}")
    others: Signal = bench.register(range(count + 1), f"others_{name}")
    clocks = bench.register(LENGTH_BITS + count.bit_length(), f"clocks_{name}")
    waits = asks & ~goes
    # A clock counts in which there is room and whoever has the channel has a flit.
    counts = waits & output.ready[vc] & ~held if output.is_plain else waits & output.crosses(vc)
    m.d.sync += [
        others.eq(
            waits.replicate(len(others)) & (others + (output.crosses(vc) & output.flit.last))
        ),
        clocks.eq(waits.replicate(len(clocks)) & (clocks + counts)),
    ]
    left: Value = Const(0)
    for last in range(count):
        behind = (number - last) % count
        after = count - 1 if behind == 0 else behind - 1
        own = 0 if behind == 0 else behind
        rest = arbiter.hold & Const(1)
        here = arbiter.last[last]
        left = left | (here & rest).replicate(8) & Const(own, 8)
        left = left | (here & ~rest).replicate(8) & Const(after, 8)
    bench.claim(~asks | (others + left <= count - 1))
    bound: Value = packets.passed
    for more in range(1, count):
        bound = bound + (packets.length & (others >= more).replicate(LENGTH_BITS))
    bench.claim(~asks | (clocks <= bound))
    if bench.can_happen(*(one for _, one in output.turns(vc))):
        bench.cover(goes & (others == count - 1) if count <= _COVERED else goes & (others != 0))


_COVERED = 2
"""Rivals up to which the longest wait is shown; a trace for more is long."""


_CLOCKS = (
    ", and leaves within {rivals} L + 1 clocks with room behind and a flit to send (L: flits in "
    "the longest packet)"
)


def progress(base: tuple[Property, ...], *, rivals: int, plain: bool) -> Property:
    """Property that rests on levels, grants, order and wormholes."""
    return Property(
        name="progress",
        text=f"a flit that waits is granted its output after at most {rivals} packets of others"
        + (_CLOCKS.format(rivals=rivals) if plain else ""),
        claim=_progress,
        lemmas=base,
    )
