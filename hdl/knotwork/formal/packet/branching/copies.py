"""Claims about any one flit that comes where packets branch: it leaves once by each branch."""

from functools import partial
from typing import Any

from amaranth.hdl import Cat
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network
from ....topology import LOCAL
from ...prover import Property
from ..claims.buffers import GRANTS
from ..claims.injection import INJECTION
from ..harness import PacketBench
from ..observed.channel import header_of
from .channel import BranchingInput
from .reading import reading


class _Token:
    """Any one flit on its way through a buffer.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Its place: flits before it.
    slot : Signal
        Its word of the memory.
    expected : View
        What it was when it came, and its turns.
    number : Signal
        Flits of its broadcast that came before it.
    copies : list of View
        By turn, what it is to be when it leaves.
    """

    def __init__(self, bench: PacketBench, channel: BranchingInput) -> None:
        m, contents, freed = bench.m, channel.contents, channel.front.freed
        self.inside = channel.register(1, "token")
        self.ahead = channel.register(range(channel.depth), "ahead")
        self.slot = channel.register(len(channel.pointer("into")), "slot")
        self.expected: Any = channel.register(channel.layout, "expected")
        self.number = channel.register(range(channel.longest + 1), "number")
        flit = channel.incoming_flit
        self.copies: list[Any] = []
        comes = bench.named(~self.inside & channel.arrives & bench.any_value(), "comes")
        for number, turn in enumerate(channel.turns):
            header = channel.copy(header_of(flit), channel.choice, turn)
            kept = channel.register(len(header), f"copy{number}")
            whole = self.expected.flit.as_value()[: flit.shape().size - len(header)]
            self.copies.append(data.View(channel.flit_layout, Cat(whole, kept)))
            with m.If(comes):
                m.d.sync += kept.eq(header)
        with m.If(comes):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(contents.later),
                self.slot.eq(channel.pointer("into")),
                self.expected.eq(channel.entry),
                self.number.eq(channel.incoming.count),
            ]
        with m.Elif(self.inside):
            is_cancelled = channel.cancel & (self.ahead >= contents.tail)
            m.d.sync += [
                self.inside.eq((self.ahead >= freed) & ~is_cancelled),
                self.ahead.eq(self.ahead - freed),
            ]


def _copies(bench: PacketBench, place: tuple[int, int]) -> None:
    channel = bench.branching(place)
    token, front, contents = _Token(bench, channel), channel.front, channel.contents
    expected, inside, ahead = token.expected, token.inside, token.ahead
    turns, is_copy = expected.turn, expected.flit.broadcast
    if channel.port != LOCAL:
        valid, ready = bench.link(channel.port, "i_valid"), bench.link(channel.port, "i_ready")
        bench.claim(channel.offered == valid[channel.vc])
        bench.claim(channel.arrives == (valid[channel.vc] & ready[channel.vc]))
    bench.claim(~inside | ((ahead < contents.level) & (token.slot == channel.slot(ahead))))
    found = channel.word(token.slot, "found")
    bench.claim(~inside | (found.as_value() == expected.flit.as_value()))
    choice = channel.choice_of(header_of(expected.flit), "token")
    bench.claim(~inside | ((choice.turns == turns) & turns.any()))
    bench.claim(~inside | is_copy | is_one_hot_or_zero(turns))
    _number(bench, channel, token)
    passes = bench.named(inside & (ahead < front.freed), f"passes_{channel.name}")
    for number, turn in enumerate(channel.turns):
        output = bench.output(turn.output_port)
        header = channel.copy(header_of(expected.flit), choice, turn)
        bench.claim(~inside | (header_of(token.copies[number]) == header))
        gone, goes = front.gone[number], channel.crosses[number]
        leaves = bench.named(inside & goes & (gone == ahead), f"leaves{number}_{channel.name}")
        out = output.crosses(turn.output_vc) & output.shows(token.copies[number])
        bench.claim(~leaves | (turns[number] & out))
        # It is not let go before each of its branches has it.
        bench.claim(~(passes & turns[number]) | (gone + goes > ahead))
        if bench.can_happen(turn):
            second = (token.number != 0) if channel.longest > 1 else 1
            bench.cover(leaves & is_copy & second if turn in channel.branches else leaves)
    if channel.longest > 1:
        bench.cover(passes & is_copy & (ahead + 1 < front.freed))


def _number(bench: PacketBench, channel: BranchingInput, token: _Token) -> None:
    """Claim that of a broadcast as many flits leave before one as came before it.

    So no copy is longer than allowed, as the next router may assume.
    """
    inside, ahead, number = token.inside, token.ahead, token.number
    is_copy = inside & token.expected.flit.broadcast
    bench.claim(~is_copy | ((number <= ahead) & (number < channel.longest)))
    if not channel.is_local:
        bench.claim(~is_copy | (number + 1 < channel.longest) | token.expected.flit.last)
    start = bench.named(ahead - number, f"start_{channel.name}")[: len(ahead)]
    before = channel.word(channel.slot(start - 1), "before")
    bench.claim(~is_copy | (start == 0) | before.last)
    for slot, word in enumerate(channel.words):
        here = channel.places[slot]
        alike = header_of(word) == header_of(token.expected.flit)
        bench.claim(~(is_copy & (here >= start) & (here < ahead)) | (~word.last & alike))
    for gone, goes in zip(channel.front.gone, channel.crosses, strict=True):
        bench.claim(~(is_copy & goes & (gone == ahead)) | (number == ahead))


def _head(bench: PacketBench, place: tuple[int, int]) -> None:
    """What `copies` says of any flit, of the one that is shown."""
    channel = bench.branching(place)
    turns, is_copy = channel.chosen.turns, channel.head.broadcast
    bench.claim(~channel.seen | (turns.any() & (is_copy | is_one_hot_or_zero(turns))))


def copies(network: Network, port: int, vc: int) -> Property:
    """Property of one input channel where packets branch."""
    name = f"{network.topology.ports[port]}_vc{vc}"
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves once by each branch of its packet and by no "
        "other turn, whole, in order, and stays until all have sent it",
        claim=partial(_copies, place=(port, vc)),
        given=partial(_head, place=(port, vc)),
        lemmas=(INJECTION, GRANTS, reading(name, (port, vc))),
    )
