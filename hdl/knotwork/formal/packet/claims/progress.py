"""Claims that a flit whose output is ready again and again leaves."""

from amaranth.hdl import Cat, Signal, Value

from ...prover import Property
from ..harness import PacketBench
from ..observed.arbiters import ChannelArbiter
from ..observed.output import Output

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


class _Channel:
    """Virtual channel of an output, and who asks for it.

    Members
    -------
    output, vc : Output, int
        Channel.
    turns : list of (Channel, Turn)
        Turns to it, each with its input channel.
    arbiter : ChannelArbiter
        Its arbiter.
    asks, goes : Signal
        Who has a flit for it, a bit a turn; whose flit goes.
    held : Signal
        It belongs to a packet whose next flit is not here yet.
    packets : _Packets
        What leaves by it.
    """

    def __init__(self, bench: PacketBench, output: Output, vc: int) -> None:
        name = f"{output.name}_vc{vc}"
        self.output, self.vc = output, vc
        self.turns, self.arbiter = output.turns(vc), output.arbiter(vc)
        asks = Cat(channel.asks(turn) for channel, turn in self.turns)
        self.asks, self.goes = bench.named(asks, f"asks_{name}"), output.sources(vc)
        owns = self.arbiter.owns
        self.held = bench.named(owns.any() & ~(asks & owns).any(), f"held_{name}")
        self.packets = _Packets(bench, output, vc)


def _progress(bench: PacketBench) -> None:
    bench.assume(bench.any_length != 0)
    for output in bench.outputs:
        for vc in output.vcs:
            one = _Channel(bench, output, vc)
            _serves(bench, one)
            for number in range(one.arbiter.requesters):
                _waits(bench, one, number)


def _serves(bench: PacketBench, one: _Channel) -> None:
    """Claim that somebody may cross, wherever somebody has asked for long enough."""
    served = bench.named((one.asks & one.arbiter.grant).any(), "served")
    asked: Value = one.asks.any()
    for _ in range(one.arbiter.latency):
        waited = bench.register(1, "waited")
        bench.m.d.sync += waited.eq((one.asks & ~one.goes).any())
        asked = asked & waited
    bench.claim(one.held | ~asked | served)
    if one.output.is_plain:
        room = one.output.ready[one.vc]
        bench.claim(~(served & room) | one.output.crosses(one.vc))


def _waits(bench: PacketBench, one: _Channel, number: int) -> None:
    """Claim how many packets, and clocks that an output could use, a flit waits for."""
    m, output, arbiter, packets = bench.m, one.output, one.arbiter, one.packets
    name = f"{output.name}_vc{one.vc}_{number}"
    asks, goes, crosses = one.asks[number], one.goes[number], output.crosses(one.vc)
    others: Signal = bench.register(range(arbiter.most + 2), f"others_{name}")
    clocks = bench.register(range((arbiter.most + 1) << LENGTH_BITS), f"clocks_{name}")
    waits = asks & ~goes
    # A clock counts in which there is room and whoever has the channel has a flit.
    counts = waits & output.ready[one.vc] & ~one.held if output.is_plain else waits & crosses
    m.d.sync += [
        others.eq(waits.replicate(len(others)) & (others + (crosses & output.flit.last))),
        clocks.eq(waits.replicate(len(clocks)) & (clocks + counts)),
    ]
    bench.claim(~asks | (others + arbiter.ahead(number) <= arbiter.most))
    bound: Value = packets.passed
    if arbiter.latency:
        bound = bound + arbiter.owns.any()  # till then it was asked
    for more in range(1, arbiter.most + 1):
        bound = bound + (packets.length & (others >= more).replicate(LENGTH_BITS))
    bench.claim(~asks | (clocks <= bound))
    if bench.can_happen(*(turn for _, turn in one.turns)):
        is_shown = arbiter.requesters <= _COVERED
        bench.cover(goes & (others == arbiter.most if is_shown else others != 0))


_COVERED = 2
"""Rivals up to which the longest wait is shown; a trace for more is long."""


_CLOCKS = (
    ", and leaves within {most} L + {first} clocks with room behind and a flit to send (L: flits "
    "in the longest packet)"
)


def progress(
    base: tuple[Property, ...], *, arbiters: type[ChannelArbiter], rivals: int, plain: bool
) -> Property:
    """Property that rests on levels, grants, order and wormholes."""
    most = arbiters.most_of(rivals + 1)
    clocks = _CLOCKS.format(most=most, first=1 + arbiters.latency) if plain else ""
    return Property(
        name="progress",
        text=f"a flit that waits is granted its output after at most {most} packets of others"
        + clocks,
        claim=_progress,
        lemmas=base,
    )
