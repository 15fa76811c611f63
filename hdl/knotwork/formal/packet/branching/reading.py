"""Claims about a buffer whose packets branch: what is in it, and where each branch reads."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial, reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Mux, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....topology import LOCAL
from ...prover import Property
from ..claims.buffers import GRANTS
from ..claims.injection import COVERED_LENGTH, INJECTION
from ..harness import PacketBench
from ..observed.channel import header_of
from .channel import BranchingInput


def _all(values: Iterator[Value]) -> Value:
    return reduce(and_, values, Const(1))


def _reading(bench: PacketBench, place: tuple[int, int]) -> None:
    channel = bench.branching(place)
    _view(bench, channel)
    _levels(bench, channel)
    _packets(bench, channel)
    _branches(bench, channel)
    _shown(bench, channel)
    contents, front = channel.contents, channel.front
    bench.cover(contents.level == min(channel.depth, _COVERED))
    bench.cover(front.finishes & (front.freed == min(channel.longest, 2)))
    # One branch is through, and another has flits left to send.
    bench.cover(front.ended & front.left.any())
    if channel.is_local and channel.longest <= COVERED_LENGTH:
        bench.cover(channel.cancel)


_COVERED = 4
"""Flits that a buffer is shown to hold: a trace that fills a deep one is long."""


def _levels(bench: PacketBench, channel: BranchingInput) -> None:
    """Claim that nothing comes without room, and what the pointers of what comes say."""
    depth, contents = channel.depth, channel.contents
    level = contents.level
    bench.claim(~channel.arrives | (level < depth))
    bench.claim((level <= depth) & (channel.full == (level == depth)))
    bench.claim(level >= channel.front.freed)
    pointers = [channel.pointer(name) for name in ("head", "into", "_shown")]
    bench.claim(channel.pointer("into") == channel.slot(level))
    if channel.is_local:
        pointers.append(channel.pointer("committed"))
        bench.claim(channel.pointer("committed") == channel.slot(contents.visible))
    bench.claim(_all(pointer < depth for pointer in pointers))


def _packets(bench: PacketBench, channel: BranchingInput) -> None:
    """Claim that the flits of a packet are alike, and which are not followed by its last."""
    contents, came = channel.contents, channel.incoming
    level, tail = contents.level, contents.tail
    bench.claim(tail <= level)
    bench.claim(came.open | (level == tail))
    bench.claim(came.open | (came.count == 0))
    is_copy = came.open & came.header[-1]
    bench.claim(~is_copy | ((came.count == level - tail) & (came.count != 0)))
    bench.claim(~came.open | came.header[-1] | (came.count == 0))
    most = channel.longest if channel.is_local else channel.longest - 1
    bench.claim(came.count <= most)
    last_tail = channel.word(channel.slot(tail - 1), "last_tail")
    bench.claim((tail == 0) | last_tail.last)
    for slot, word in enumerate(channel.words):
        here, inside = channel.places[slot], channel.holds[slot]
        after = (slot + 1) % channel.depth
        alike = header_of(word) == header_of(channel.words[after])
        bench.claim(~inside | (here + 1 >= level) | word.last | alike)
        is_new = inside & (here >= tail)
        bench.claim(~is_new | (~word.last & (header_of(word) == came.header)))


def _branches(bench: PacketBench, channel: BranchingInput) -> None:
    """Claim where each branch reads, in a packet that is whole for it."""
    front, contents = channel.front, channel.contents
    level, tail, left = contents.level, contents.tail, front.left
    copies = channel.copies
    bench.claim(~front.started | (level != 0))
    if channel.is_local:
        bench.claim(~front.started | (tail != 0))
    farthest = Mux(tail == 0, level, tail - 1)
    bench.claim(~front.ended | (front.started & (front.end < level)))
    end_word = channel.word(channel.slot(front.end), "end")
    bench.claim(~front.ended | end_word.last)
    bench.claim(front.ended | ~front.started | (left == front.choice.turns))
    for number, gone in enumerate(front.gone):
        if number not in copies:
            bench.claim(gone == 0)
            continue
        through = front.started & front.choice.turns[number] & ~left[number]
        bench.claim(~left[number] | (gone <= farthest))
        bench.claim(~(left[number] & front.ended) | (gone <= front.end))
        bench.claim(~through | (front.ended & (gone == front.end + 1)))
        bench.claim((front.started & front.choice.turns[number]) | (gone == 0))
        position = channel.reader(f"position_{copies.index(number)}", len(channel.pointer("head")))
        bench.claim(~left[number] | (position == channel.slot(gone)))
        bench.claim(front.started | (position == channel.pointer("head")))
    for slot, word in enumerate(channel.words):
        here, inside = channel.places[slot], channel.holds[slot]
        alike = bench.named(header_of(word) == front.header, f"alike{slot}_{channel.name}")
        reached = Cat(left[n] & (here <= gone) for n, gone in enumerate(front.gone)).any()
        passed = Cat(left[n] & (here < gone) for n, gone in enumerate(front.gone)).any()
        reached |= front.ended & (here <= front.end)
        passed |= front.ended & (here < front.end)
        bench.claim(~(front.started & inside & ((here == 0) | reached)) | alike)
        bench.claim(~(front.started & inside & passed) | ~word.last)


def _shown(bench: PacketBench, channel: BranchingInput) -> None:
    """Claim which flit is shown, and that it alone leaves, by turns that want it."""
    front, contents = channel.front, channel.contents
    level, came = contents.level, channel.incoming
    bench.claim(channel.seen == (front.index < contents.visible))
    bench.claim(front.started | (front.index == 0))
    at_shown = [front.left[n] & (gone == front.index) for n, gone in enumerate(front.gone)]
    bench.claim(~front.started | reduce(or_, at_shown))
    middle = front.started | front.opened
    follows = Mux(level == 0, came.open & (came.header == front.header), middle)
    bench.claim(~front.opened | follows)
    first = channel.word(channel.pointer("head"), "first")
    bench.claim(~front.opened | (level == 0) | (header_of(first) == front.header))
    for number, goes in enumerate(channel.crosses):
        gone = front.gone[number]
        wants = Mux(front.started, front.left[number], channel.shown_turns[number])
        bench.claim(~goes | (channel.seen & wants & (gone == front.index)))
    count = len(channel.branches)
    if count > 2:
        turned = channel.reader("turned_last", count)
        bench.claim(turned.any() & is_one_hot_or_zero(turned))


def _view(bench: PacketBench, channel: BranchingInput) -> None:
    """Claim what others need of it: the packet that is shown, and what it asks for."""
    front, left = channel.front, channel.front.left
    copies = channel.copies
    pending = channel.reader("pending", len(copies))
    bench.claim(channel.reader("inside") == front.started)
    bench.claim(front.started == left.any())
    bench.claim(pending == Cat(left[number] for number in copies))
    bench.claim(~(left & ~front.choice.turns).any())
    bench.claim(~front.started | front.header[-1])
    bench.claim(~front.opened | ~front.header[-1])
    bench.claim(~(front.started & front.opened))
    middle = front.started | front.opened
    bench.claim(~(middle & channel.seen) | (header_of(channel.head) == front.header))
    # What is shown is not written over.
    is_written = channel.arrives & (channel.pointer("into") == channel.pointer("_shown"))
    bench.claim(~(channel.seen & is_written))
    for number, gone in enumerate(front.gone):
        bench.claim(front.started | (gone == 0))
        bench.claim(~channel.crosses[number] | channel.seen)
        if number in copies:
            bench.claim(~left[number] | (gone < channel.depth))
        else:
            bench.claim(~left[number])


def _given(bench: PacketBench, place: tuple[int, int]) -> None:
    _view(bench, bench.branching(place))


def reading(name: str, place: tuple[int, int]) -> Property:
    """Property of one input channel, whole."""
    return Property(
        name=f"buffer_{name}",
        text=f"the buffer of {name} keeps a broadcast until each branch has read it, and "
        "takes no flit without room",
        claim=partial(_reading, place=place),
        lemmas=(INJECTION, GRANTS) if place[0] == LOCAL else (GRANTS,),
    )


def reading_view(name: str, place: tuple[int, int]) -> Property:
    """The same, of which what rests on it sees the packet that is shown alone."""
    whole = reading(name, place)
    return replace(whole, given=partial(_given, place=place))
