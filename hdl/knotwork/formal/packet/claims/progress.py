"""Claims that a flit leaves whose output is ready again and again."""

from amaranth.hdl import Cat, Signal, Value

from ...property import Property
from ..harness import PacketHarness
from ..observed.arbiters import ChannelArbiter
from ..observed.output import Output

LENGTH_BITS = 4
"""Bits of the longest packet's length, which is any number."""

_COVERED = 2
"""Requesters up to which the longest wait is shown: the trace for more is long."""


class _Packets:
    """Packets that leave by one virtual channel of an output.

    Members
    -------
    length : Value
        Flits of the longest packet.
    passed : Signal
        Flits of the packet under way that have left.
    """

    def __init__(self, harness: PacketHarness, output: Output, vc: int) -> None:
        name = f"{output.name}_vc{vc}"
        self.length = harness.any_length
        self.passed = harness.register(LENGTH_BITS, f"passed_{name}")
        with harness.m.If(output.crosses(vc)):
            longer = self.passed + 1
            harness.m.d.sync += self.passed.eq(
                longer[:LENGTH_BITS] & ~output.flit.last.replicate(LENGTH_BITS)
            )
        harness.assume(~output.crosses(vc) | output.flit.last | (self.passed + 1 < self.length))
        harness.claim(self.passed < self.length)


class _OutputChannel:
    """Virtual channel of an output, and the turns that ask for it.

    Members
    -------
    output, vc : Output, int
        Output and virtual channel.
    turns : list of (InputChannel, Turn)
        Turns to it, each with its input channel.
    arbiter : ChannelArbiter
        Its arbiter.
    asks, goes : Signal
        Turns that have a flit for it, and the one whose flit leaves, a bit per turn.
    held : Signal
        It belongs to a packet whose next flit is not here yet.
    packets : _Packets
        Packets that leave by it.
    """

    def __init__(self, harness: PacketHarness, output: Output, vc: int) -> None:
        name = f"{output.name}_vc{vc}"
        self.output, self.vc = output, vc
        self.turns, self.arbiter = output.turns(vc), output.arbiter(vc)
        asks = Cat(channel.asks(turn) for channel, turn in self.turns)
        self.asks, self.goes = harness.named(asks, f"asks_{name}"), output.sources(vc)
        owns = self.arbiter.owns
        self.held = harness.named(owns.any() & ~(asks & owns).any(), f"held_{name}")
        self.packets = _Packets(harness, output, vc)


def _progress(harness: PacketHarness) -> None:
    harness.assume(harness.any_length != 0)
    for output in harness.outputs:
        for vc in output.vcs:
            one = _OutputChannel(harness, output, vc)
            _serves(harness, one)
            for number in range(one.arbiter.requesters):
                _waits(harness, one, number)


def _serves(harness: PacketHarness, one: _OutputChannel) -> None:
    """Claim that some turn is served once some turn has asked for long enough."""
    served = harness.named((one.asks & one.arbiter.grant).any(), "served")
    asked: Value = one.asks.any()
    for _ in range(one.arbiter.latency):
        waited = harness.register(1, "waited")
        harness.m.d.sync += waited.eq((one.asks & ~one.goes).any())
        asked = asked & waited
    harness.claim(one.held | ~asked | served)
    if one.output.is_plain:
        room = one.output.ready[one.vc]
        harness.claim(~(served & room) | one.output.crosses(one.vc))


def _waits(harness: PacketHarness, one: _OutputChannel, number: int) -> None:
    """Claim for how many packets a flit waits, and for how many cycles with room behind."""
    m, output, arbiter, packets = harness.m, one.output, one.arbiter, one.packets
    name = f"{output.name}_vc{one.vc}_{number}"
    asks, goes, crosses = one.asks[number], one.goes[number], output.crosses(one.vc)
    others: Signal = harness.register(range(arbiter.most + 2), f"others_{name}")
    cycles = harness.register(range((arbiter.most + 1) << LENGTH_BITS), f"clocks_{name}")
    waits = asks & ~goes
    # A cycle counts if there is room and the owner of the channel has a flit.
    counts = waits & output.ready[one.vc] & ~one.held if output.is_plain else waits & crosses
    m.d.sync += [
        others.eq(waits.replicate(len(others)) & (others + (crosses & output.flit.last))),
        cycles.eq(waits.replicate(len(cycles)) & (cycles + counts)),
    ]
    harness.claim(~asks | (others + arbiter.ahead(number) <= arbiter.most))
    bound: Value = packets.passed
    if arbiter.latency:
        bound = bound + arbiter.owns.any()  # the arbiter was asked one cycle before
    for more in range(1, arbiter.most + 1):
        bound = bound + (packets.length & (others >= more).replicate(LENGTH_BITS))
    harness.claim(~asks | (cycles <= bound))
    if harness.can_happen(*(turn for _, turn in one.turns)):
        is_shown = arbiter.requesters <= _COVERED
        harness.cover(goes & (others == arbiter.most if is_shown else others != 0))


_CYCLES = (
    ", and leaves within {most} L + {first} cycles with room behind and a flit to send (L: flits "
    "in the longest packet)"
)


def progress(
    base: tuple[Property, ...], *, arbiters: type[ChannelArbiter], rivals: int, plain: bool
) -> Property:
    """Property that rests on `base`: levels, grants, order and wormholes.

    Parameters
    ----------
    base : tuple of Property
        Its lemmas.
    arbiters : type of ChannelArbiter
        Kind of the arbiters.
    rivals : int
        Most turns that compete with one.
    plain : bool
        All outputs are plain, so the cycles are bounded too.
    """
    most = arbiters.most_of(rivals + 1)
    cycles = _CYCLES.format(most=most, first=1 + arbiters.latency) if plain else ""
    return Property(
        name="progress",
        text=f"a flit that waits is granted its output after at most {most} packets of others"
        + cycles,
        claim=_progress,
        lemmas=base,
    )
