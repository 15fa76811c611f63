"""Claims that no branch of a broadcast waits for one that is blocked."""

from functools import partial, reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Value

from ....network import Network
from ...prover import Property
from ..claims.buffers import GRANTS
from ..harness import PacketBench
from .channel import BranchingInput
from .reading import reading


def _could(bench: PacketBench, channel: BranchingInput, here: Value) -> Value:
    """Whether some turn that is `here` has its output, and room behind it."""
    found: Value = Const(0)
    for number, turn in enumerate(channel.turns):
        output = bench.output(turn.output_port)
        place = [one for _, one in output.turns(turn.output_vc)].index(turn)
        grant = output.arbiter(turn.output_vc).grant[place]
        found |= here[number] & grant & output.ready[turn.output_vc]
    return found


def _sharing(bench: PacketBench, place: tuple[int, int]) -> None:
    """A branch waits elsewhere while the flit shown is not its next."""
    channel = bench.branching(place)
    m, front, name = bench.m, channel.front, channel.name
    at_shown = Cat(gone == front.index for gone in front.gone)
    shown = channel.seen.replicate(len(at_shown))
    here = bench.named(Mux(front.started, front.left & at_shown, channel.shown_turns), "here")
    here = here & shown
    elsewhere = bench.named(front.left & ~at_shown, f"elsewhere_{name}")
    could, moves = _could(bench, channel, here), channel.crosses.any()
    # A flit that crosses is followed by the next; its packet's last has none.
    goes_on = moves & ~channel.head.last
    turns = bench.named(elsewhere.any() & ~goes_on & (moves | ~could), f"turns_{name}")
    stays = bench.named(elsewhere.any() & ~moves & could, f"stays_{name}")
    turned, stayed = channel.register(1, "turned"), channel.register(1, "stayed")
    were, was = (
        channel.register(len(elsewhere), "were"),
        channel.register(range(channel.depth), "was"),
    )
    m.d.sync += [turned.eq(turns), stayed.eq(stays), were.eq(elsewhere), was.eq(front.index)]
    # It turns to one that waited elsewhere, and where it could go on it stays.
    bench.claim(~turned | (were & at_shown & front.left).any())
    bench.claim(~stayed | (front.index == was))
    bench.cover(turned)
    if len(bench.kind.input_vcs(channel.port)) > 1:  # another channel may have the clock
        bench.cover(stayed)
    copies, count = channel.copies, len(channel.branches)
    last: Value = Const(1, 2)
    if count > 2:
        last = channel.reader("turned_last", count)
    for order, number in enumerate(copies):
        others = channel.register(range(count + 1), f"others{number}")
        waits = elsewhere[number]
        more = others + turns
        m.d.sync += others.eq(Mux(waits, more, 0))
        ahead: Value = Const(1)  # of two, the other
        if count > 2:
            behind = [
                Const((order - one - 1) % count, 8) & last[one].replicate(8) for one in range(count)
            ]
            ahead = reduce(or_, behind)
        bench.claim(~waits | (others + ahead <= count - 1))
        if count > 2 and channel.longest > 2:  # of two flits, one is shown
            bench.cover(waits & (others != 0))


def sharing(network: Network, port: int, vc: int, *, branches: int) -> Property:
    """Property of one input channel where packets branch."""
    name = f"{network.topology.ports[port]}_vc{vc}"
    return Property(
        name=f"sharing_{name}",
        text=f"where no branch from {name} at the flit shown could leave, or it is through, "
        f"another branch's is shown, each after {branches - 1} others' at most",
        claim=partial(_sharing, place=(port, vc)),
        lemmas=(GRANTS, reading(name, (port, vc))),
    )
