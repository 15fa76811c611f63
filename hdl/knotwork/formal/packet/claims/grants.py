"""Claims about who may leave a packet router, and when."""

from amaranth.hdl import Cat, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....topology import LOCAL
from ...prover import Property
from ..harness import PacketBench
from ..observed.channel import header_of
from ..observed.output import Output


def _ownership(bench: PacketBench) -> None:
    for channel in bench.channels.values():
        channel.claim_packets(bench)
    for output in bench.outputs:
        for vc in output.vcs:
            owns = output.arbiter(vc).owns
            for number, (channel, turn) in enumerate(output.turns(vc)):
                # It owns the channel from its grant on, and is inside once its head has left.
                takes = channel.going(turn).open
                bench.claim(~takes | owns[number])
                bench.claim(~owns[number] | takes | channel.asks(turn))
                if bench.can_happen(turn):
                    bench.cover(owns[number])


def _crossing(bench: PacketBench) -> None:
    for output in bench.outputs:
        for vc in output.vcs:
            sources = output.sources(vc)
            bench.claim(is_one_hot_or_zero(sources))
            bench.claim(sources.any() == output.crosses(vc))
            for number, (channel, turn) in enumerate(output.turns(vc)):
                bench.claim(~sources[number] | output.shows(channel.flit_by(turn)))
                if bench.can_happen(turn):
                    bench.cover(sources[number])
        unused = [bit for vc, bit in enumerate(output.valid) if vc not in output.vcs]
        bench.claim(~Cat(unused).any())
        bench.claim(is_one_hot_or_zero(output.valid))
    for port in bench.kind.ports:
        leaving = [c.leaves for c in bench.channels.values() if c.port == port]
        bench.claim(is_one_hot_or_zero(Cat(leaving)))


def _wormhole(bench: PacketBench) -> None:
    m = bench.m
    for output in bench.outputs:
        for vc in output.vcs:
            name = f"{output.name}_vc{vc}"
            turns, sources = output.turns(vc), output.sources(vc)
            opened = bench.register(1, f"opened_{name}")
            owner = bench.register(len(turns), f"owner_{name}")
            _one_header(bench, output, vc, opened)
            with m.If(output.crosses(vc)):
                m.d.sync += [opened.eq(~output.flit.last), owner.eq(sources)]
            bench.claim(~opened | (owner.any() & is_one_hot_or_zero(owner)))
            bench.claim(~(output.crosses(vc) & opened) | (sources == owner))
            reached = [turn for _, turn in turns if bench.can_happen(turn)]
            if reached and bench.can_be_long(*reached):
                bench.cover(output.crosses(vc) & opened)
            for number, (channel, turn) in enumerate(turns):
                bench.claim(channel.going(turn).open == (opened & owner[number]))


def _one_header(bench: PacketBench, output: Output, vc: int, opened: Value) -> None:
    """Claim that all flits of a packet have one header, as the next router may assume."""
    if output.port == LOCAL:
        return
    header = header_of(output.flit)
    before = bench.register(len(header), f"before_{output.name}_vc{vc}")
    with bench.m.If(output.crosses(vc)):
        bench.m.d.sync += before.eq(header)
    bench.claim(~(output.crosses(vc) & opened) | (header == before))
    for channel, turn in output.turns(vc):
        packet = channel.going(turn)
        bench.claim(~packet.open | (packet.header == before))


def ownership(base: tuple[Property, ...]) -> Property:
    """Property that rests on levels, grants and the order of all channels."""
    return Property(
        name="ownership",
        text="an output's virtual channel is kept for a packet from its grant to its tail",
        claim=_ownership,
        lemmas=base,
    )


def crossing(base: tuple[Property, ...]) -> Property:
    """Property that rests on those of `ownership`, and on it."""
    return Property(
        name="crossing",
        text="flits leave a buffer and an output together, unchanged, by a turn of the routing's",
        claim=_crossing,
        lemmas=base,
    )


def wormhole(base: tuple[Property, ...]) -> Property:
    """Property that rests on those of `crossing`, and on it."""
    return Property(
        name="wormhole",
        text="between a packet's head and its tail no other flit uses its virtual channel",
        claim=_wormhole,
        lemmas=base,
    )
