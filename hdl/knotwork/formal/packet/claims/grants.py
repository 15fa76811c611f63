"""Claims about which flits leave a packet router: ownership, crossing, wormholes."""

from amaranth.hdl import Cat, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ...property import Property
from ..harness import PacketHarness
from ..observed.channel import header_of
from ..observed.output import Output


def _ownership(harness: PacketHarness) -> None:
    for channel in harness.channels.values():
        for fact in channel.leaving():
            harness.claim(fact)
    for output in harness.outputs:
        for vc in output.vcs:
            owns = output.arbiter(vc).owns
            for number, (channel, turn) in enumerate(output.turns(vc)):
                # A packet owns the channel from its grant on; it is open once its head flit left.
                is_open = channel.going(turn).open
                harness.claim(~is_open | owns[number])
                harness.claim(~owns[number] | is_open | channel.asks(turn))
                if harness.can_happen(turn):
                    harness.cover(owns[number])


def _crossing(harness: PacketHarness) -> None:
    for output in harness.outputs:
        for vc in output.vcs:
            sources = output.sources(vc)
            harness.claim(is_one_hot_or_zero(sources))
            harness.claim(sources.any() == output.crosses(vc))
            for number, (channel, turn) in enumerate(output.turns(vc)):
                harness.claim(~sources[number] | output.shows(channel.flit_by(turn)))
                if harness.can_happen(turn):
                    harness.cover(sources[number])
        unused = [bit for vc, bit in enumerate(output.valid) if vc not in output.vcs]
        harness.claim(~Cat(unused).any())
        harness.claim(is_one_hot_or_zero(output.valid))
    for port in harness.kind.ports:
        leaving = [c.leaves for c in harness.channels.values() if c.port == port]
        harness.claim(is_one_hot_or_zero(Cat(leaving)))


def _wormhole(harness: PacketHarness) -> None:
    m = harness.m
    for output in harness.outputs:
        for vc in output.vcs:
            name = f"{output.name}_vc{vc}"
            turns, sources = output.turns(vc), output.sources(vc)
            opened = harness.register(1, f"opened_{name}")
            owner = harness.register(len(turns), f"owner_{name}")
            _one_header(harness, output, vc, opened)
            with m.If(output.crosses(vc)):
                m.d.sync += [opened.eq(~output.flit.last), owner.eq(sources)]
            harness.claim(~opened | (owner.any() & is_one_hot_or_zero(owner)))
            harness.claim(~(output.crosses(vc) & opened) | (sources == owner))
            reached = [turn for _, turn in turns if harness.can_happen(turn)]
            if reached and harness.can_be_long(*reached):
                harness.cover(output.crosses(vc) & opened)
            for number, (channel, turn) in enumerate(turns):
                harness.claim(channel.going(turn).open == (opened & owner[number]))


def _one_header(harness: PacketHarness, output: Output, vc: int, opened: Value) -> None:
    """Claim that all flits of a packet have one header, as the next router may assume."""
    if output.is_local:
        return
    header = header_of(output.flit)
    before = harness.register(len(header), f"before_{output.name}_vc{vc}")
    with harness.m.If(output.crosses(vc)):
        harness.m.d.sync += before.eq(header)
    harness.claim(~(output.crosses(vc) & opened) | (header == before))
    for channel, turn in output.turns(vc):
        packet = channel.going(turn)
        harness.claim(~packet.open | (packet.header == before))


def ownership(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: levels, grants and the order of all channels."""
    return Property(
        name="ownership",
        text="an output's virtual channel is kept for a packet from its grant to its tail",
        claim=_ownership,
        lemmas=base,
    )


def crossing(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: ownership and what that rests on."""
    return Property(
        name="crossing",
        text="flits leave a buffer and an output together, unchanged, by a turn of the routing",
        claim=_crossing,
        lemmas=base,
    )


def wormhole(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: crossing and what that rests on."""
    return Property(
        name="wormhole",
        text="between a packet's head and its tail no other flit uses its virtual channel",
        claim=_wormhole,
        lemmas=base,
    )
