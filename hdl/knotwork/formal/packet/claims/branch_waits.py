"""Claims that no branch of a broadcast waits for another that is blocked."""

from functools import partial, reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Value

from ....network import Network
from ...property import Property
from ..branching.channel import BranchingChannel
from ..harness import PacketHarness
from ..observed.channel import channel_name
from ..router_harness import Place
from .branch_buffers import branch_buffer
from .buffers import GRANTS


def _could(harness: PacketHarness, channel: BranchingChannel, here: Value) -> Value:
    """Whether the output of some turn that is `here` is granted to it, and has room behind it."""
    found: Value = Const(0)
    for number, turn in enumerate(channel.turns):
        output = harness.output(turn.output_port)
        found |= here[number] & output.grants(turn) & output.ready[turn.output_vc]
    return found


def _waits(harness: PacketHarness, place: Place) -> None:
    """Claim which branch is shown its flit next, while others wait elsewhere in the packet."""
    channel = harness.branching[place]
    m, front, name, ports = harness.m, channel.front, channel.name, channel.ports
    at_shown = Cat(gone == front.index for gone in front.gone)
    shown = channel.valid.replicate(len(at_shown))
    here = harness.named(Mux(front.started, front.left & at_shown, ports.shown_turns), "here")
    here = here & shown
    elsewhere = harness.named(front.left & ~at_shown, f"elsewhere_{name}")
    could, moves = _could(harness, channel, here), channel.leaves
    # A flit that crosses is followed by the next one of its packet; the tail is not.
    goes_on = moves & ~channel.shown.last
    turns = harness.named(elsewhere.any() & ~goes_on & (moves | ~could), f"turns_{name}")
    stays = harness.named(elsewhere.any() & ~moves & could, f"stays_{name}")
    turned, stayed = ports.register(1, "turned"), ports.register(1, "stayed")
    were, was = ports.register(len(elsewhere), "were"), ports.register(range(channel.depth), "was")
    m.d.sync += [turned.eq(turns), stayed.eq(stays), were.eq(elsewhere), was.eq(front.index)]
    # The reader turns to a branch that waited elsewhere, and stays where a flit could go on.
    harness.claim(~turned | (were & at_shown & front.left).any())
    harness.claim(~stayed | (front.index == was))
    harness.cover(turned)
    if len(harness.kind.input_vcs(channel.port)) > 1:  # another channel may have the cycle
        harness.cover(stayed)
    _rounds(harness, channel, elsewhere, turns)


def _rounds(
    harness: PacketHarness, channel: BranchingChannel, elsewhere: Value, turns: Value
) -> None:
    """Claim that a branch that waits elsewhere waits for each other branch at most once."""
    ports = channel.ports
    count = len(ports.branches)
    last: Value = Const(1, 2)
    if count > 2:
        last = channel.memory.reader("turned_last", count)
    for order, number in enumerate(channel.branches):
        others = ports.register(range(count + 1), f"others{number}")
        waits = elsewhere[number]
        more = others + turns
        harness.m.d.sync += others.eq(Mux(waits, more, 0))
        ahead: Value = Const(1)  # of two, the other
        if count > 2:
            behind = [
                Const((order - one - 1) % count, 8) & last[one].replicate(8) for one in range(count)
            ]
            ahead = reduce(or_, behind)
        harness.claim(~waits | (others + ahead <= count - 1))
        if count > 2 and channel.longest > 2:  # of two flits, one is shown
            harness.cover(waits & (others != 0))


def branch_waits(network: Network, port: int, vc: int, *, branches: int) -> Property:
    """Property of one input channel where packets branch."""
    name = channel_name(network, port, vc)
    return Property(
        name=f"sharing_{name}",
        text=f"once no branch of {name} can send the flit that is shown, or all have sent it, the "
        f"next flit of another branch is shown, each after at most {branches - 1} others",
        claim=partial(_waits, place=(port, vc)),
        lemmas=(GRANTS, branch_buffer(name, (port, vc))),
    )
