"""Claims about a buffer whose packets branch: which flits it holds, and where each branch reads."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial, reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Mux, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....topology import LOCAL
from ...property import Property
from ..branching.channel import BranchingChannel
from ..harness import PacketHarness
from ..observed.channel import header_of
from ..router_harness import Place
from .buffers import COVERED_FLITS, GRANTS
from .injection import COVERED_LENGTH, INJECTION


def _all(values: Iterator[Value]) -> Value:
    return reduce(and_, values, Const(1))


def _reading(harness: PacketHarness, place: Place) -> None:
    channel = harness.branching[place]
    _view(harness, channel)
    _levels(harness, channel)
    _packets(harness, channel)
    _branches(harness, channel)
    _shown(harness, channel)
    contents, front = channel.contents, channel.front
    harness.cover(contents.level == min(channel.depth, COVERED_FLITS))
    harness.cover(front.finishes & (front.freed == min(channel.longest, 2)))
    # One branch is through, and another has flits left to send.
    harness.cover(front.ended & front.left.any())
    if channel.is_local and channel.longest <= COVERED_LENGTH:
        harness.cover(channel.ports.cancel)


def _levels(harness: PacketHarness, channel: BranchingChannel) -> None:
    """Claim that no flit comes without room, and where the write pointers point."""
    depth, contents, memory = channel.depth, channel.contents, channel.memory
    level = contents.level
    harness.claim(~channel.arrives | (level < depth))
    harness.claim((level <= depth) & (memory.full == (level == depth)))
    harness.claim(level >= channel.front.freed)
    pointers = [memory.pointer(name) for name in ("head", "into", "_shown")]
    harness.claim(memory.pointer("into") == memory.slot(level))
    if channel.is_local:
        pointers.append(memory.pointer("committed"))
        harness.claim(memory.pointer("committed") == memory.slot(contents.visible))
    harness.claim(_all(pointer < depth for pointer in pointers))


def _packets(harness: PacketHarness, channel: BranchingChannel) -> None:
    """Claim that the flits of a packet share a header, and that one still coming has no tail."""
    contents, came, memory = channel.contents, channel.incoming, channel.memory
    level, tail = contents.level, contents.tail
    harness.claim(tail <= level)
    harness.claim(came.open | (level == tail))
    harness.claim(came.open | (came.count == 0))
    is_copy = came.open & came.header[-1]
    harness.claim(~is_copy | ((came.count == level - tail) & (came.count != 0)))
    harness.claim(~came.open | came.header[-1] | (came.count == 0))
    most = channel.longest if channel.is_local else channel.longest - 1
    harness.claim(came.count <= most)
    last_tail = memory.word(memory.slot(tail - 1), "last_tail")
    harness.claim((tail == 0) | last_tail.last)
    for slot, word in enumerate(memory.words):
        here, inside = memory.places[slot], channel.holds[slot]
        after = (slot + 1) % channel.depth
        alike = header_of(word) == header_of(memory.words[after])
        harness.claim(~inside | (here + 1 >= level) | word.last | alike)
        is_new = inside & (here >= tail)
        harness.claim(~is_new | (~word.last & (header_of(word) == came.header)))


def _branches(harness: PacketHarness, channel: BranchingChannel) -> None:
    """Claim where each branch reads, and that it reads one packet."""
    front, contents, memory = channel.front, channel.contents, channel.memory
    level, tail, left = contents.level, contents.tail, front.left
    branches = channel.branches
    harness.claim(~front.started | (level != 0))
    if channel.is_local:
        harness.claim(~front.started | (tail != 0))
    farthest = Mux(tail == 0, level, tail - 1)
    harness.claim(~front.ended | (front.started & (front.end < level)))
    end_word = memory.word(memory.slot(front.end), "end")
    harness.claim(~front.ended | end_word.last)
    harness.claim(front.ended | ~front.started | (left == front.choice.turns))
    for number, gone in enumerate(front.gone):
        if number not in branches:
            harness.claim(gone == 0)
            continue
        through = front.started & front.choice.turns[number] & ~left[number]
        harness.claim(~left[number] | (gone <= farthest))
        harness.claim(~(left[number] & front.ended) | (gone <= front.end))
        harness.claim(~through | (front.ended & (gone == front.end + 1)))
        harness.claim((front.started & front.choice.turns[number]) | (gone == 0))
        position = memory.reader(f"position_{branches.index(number)}", len(memory.pointer("head")))
        harness.claim(~left[number] | (position == memory.slot(gone)))
        harness.claim(front.started | (position == memory.pointer("head")))
    for slot, word in enumerate(memory.words):
        here, inside = memory.places[slot], channel.holds[slot]
        alike = harness.named(header_of(word) == front.header, f"alike{slot}_{channel.name}")
        reached = Cat(left[n] & (here <= gone) for n, gone in enumerate(front.gone)).any()
        passed = Cat(left[n] & (here < gone) for n, gone in enumerate(front.gone)).any()
        reached |= front.ended & (here <= front.end)
        passed |= front.ended & (here < front.end)
        harness.claim(~(front.started & inside & ((here == 0) | reached)) | alike)
        harness.claim(~(front.started & inside & passed) | ~word.last)


def _shown(harness: PacketHarness, channel: BranchingChannel) -> None:
    """Claim which flit is shown, and that it alone leaves, by turns that want it."""
    front, contents, memory = channel.front, channel.contents, channel.memory
    level, came = contents.level, channel.incoming
    harness.claim(channel.valid == (front.index < contents.visible))
    harness.claim(front.started | (front.index == 0))
    at_shown = [front.left[n] & (gone == front.index) for n, gone in enumerate(front.gone)]
    harness.claim(~front.started | reduce(or_, at_shown))
    middle = front.started | front.opened
    follows = Mux(level == 0, came.open & (came.header == front.header), middle)
    harness.claim(~front.opened | follows)
    first = memory.word(memory.pointer("head"), "first")
    harness.claim(~front.opened | (level == 0) | (header_of(first) == front.header))
    for number, goes in enumerate(channel.ports.crosses):
        gone = front.gone[number]
        wants = Mux(front.started, front.left[number], channel.ports.shown_turns[number])
        harness.claim(~goes | (channel.valid & wants & (gone == front.index)))
    count = len(channel.ports.branches)
    if count > 2:
        turned = memory.reader("turned_last", count)
        harness.claim(turned.any() & is_one_hot_or_zero(turned))


def _view(harness: PacketHarness, channel: BranchingChannel) -> None:
    """Claim what other properties need: which packet is shown, and which outputs it asks for."""
    front, left, memory = channel.front, channel.front.left, channel.memory
    branches = channel.branches
    pending = memory.reader("pending", len(branches))
    harness.claim(memory.reader("in_packet") == front.started)
    harness.claim(front.started == left.any())
    harness.claim(pending == Cat(left[number] for number in branches))
    harness.claim(~(left & ~front.choice.turns).any())
    harness.claim(~front.started | front.header[-1])
    harness.claim(~front.opened | ~front.header[-1])
    harness.claim(~(front.started & front.opened))
    middle = front.started | front.opened
    harness.claim(~(middle & channel.valid) | (header_of(channel.shown) == front.header))
    # The flit that is shown is in the memory, and is not written over.
    harness.claim(memory.pointer("_shown") < channel.depth)
    is_written = channel.arrives & (memory.pointer("into") == memory.pointer("_shown"))
    harness.claim(~(channel.valid & is_written))
    for number, gone in enumerate(front.gone):
        harness.claim(front.started | (gone == 0))
        harness.claim(~channel.ports.crosses[number] | channel.valid)
        if number in branches:
            harness.claim(~left[number] | (gone < channel.depth))
        else:
            harness.claim(~left[number])


def _given(harness: PacketHarness, place: Place) -> None:
    _view(harness, harness.branching[place])


def branch_buffer(name: str, place: Place) -> Property:
    """Property of one input channel where packets branch."""
    return Property(
        name=f"buffer_{name}",
        text=f"the buffer of {name} keeps a broadcast until each branch has read it, and "
        "takes no flit without room",
        claim=partial(_reading, place=place),
        lemmas=(INJECTION, GRANTS) if place[0] == LOCAL else (GRANTS,),
    )


def branch_buffer_view(name: str, place: Place) -> Property:
    """The same property, which gives what rests on it only the packet that is shown."""
    return replace(branch_buffer(name, place), given=partial(_given, place=place))
