"""Claims about packets that are copied: which copy leaves, and which flits it has left behind."""

from amaranth.hdl import Cat, Mux

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ..observed.channel import header_of
from .harness import CreditHarness
from .observed.copy_channel import CopyChannel


def claim_copies(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim where a copy reads, and which ways are left to the packet at the head."""
    queue, gone, copy, rest = channel.queue, channel.gone, channel.copy, channel.rest
    harness.claim(channel.fits)
    harness.claim((channel.hidden <= channel.level) & (gone <= channel.visible))
    harness.claim(queue.is_at(queue.head, gone) & queue.is_at(queue.end, channel.visible))
    if channel.is_local:
        came = channel.incoming
        harness.claim((channel.hidden != 0) == (came.open & channel.is_broadcast))
    else:
        harness.claim(channel.hidden == 0)
    for word, ahead in zip(queue.words, queue.ahead, strict=True):
        is_hidden = (ahead >= channel.visible) & (ahead < channel.level)
        harness.claim(~((ahead < gone) | is_hidden) | ~queue.last(word))
    # A copy that is not the last leaves flits behind as soon as its head has left.
    harness.claim((gone != 0) == (copy.open & ~channel.is_last_copy))
    harness.claim(~copy.open | ((copy.turn == channel.highest) & rest.any()))
    valid, front = channel.valid, channel.front
    harness.claim(~valid | (front.held == copy.open))
    harness.claim(~valid | rest.any())
    single = front.last & ~front.held
    harness.claim(~valid | (channel.shown_turn == Mux(single, rest, channel.highest)))
    place = front.vcs.index(channel.vc)
    holds = harness.inside(f"input_{front.name}.holds", len(front.vcs))
    harness.claim(holds[place] == copy.open)
    if channel.is_local:
        harness.cover(channel.cancel)
    if len(harness.kind.branches(channel.port, channel.vc)) > 1:
        # Flits that leave again are of longer packets: a node's broadcasts have a limit.
        longest = harness.network.longest_copied_packet if channel.is_local else channel.depth
        if longest > 1:
            harness.cover(channel.leaves & channel.again & front.last)
        if longest > 2:
            harness.cover(gone == 2)
        # Copies of a flit that is its packet's only one leave in several cycles, or in one.
        harness.cover(valid & single & channel.leaves & ~is_one_hot_or_zero(channel.shown_turn))


def claim_copied_packets(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim that a copy is of the packet at the head, whole, by the turns that this has left."""
    queue, gone, copy, rest = channel.queue, channel.gone, channel.copy, channel.rest
    visible, went = channel.visible, channel.outgoing
    flits = [channel.whole(word, f"copied{n}") for n, word in enumerate(queue.flits)]
    for slot, (word, flit) in enumerate(zip(queue.words, flits, strict=True)):
        ahead, turn = queue.ahead[slot], channel.turn_of(queue.code(word))
        is_left = (ahead < gone) & copy.open
        harness.claim(~is_left | (header_of(flit) == copy.header))
        is_shown = channel.valid & (ahead == gone)
        harness.claim(~is_shown | ((channel.shown_turn & ~turn) == 0))
        is_first = (ahead == 0) & (visible != 0) & ~went.open
        harness.claim(~is_first | ((rest & ~turn) == 0))
        ends = (channel.hidden != 0) & (ahead + 1 == visible)
        harness.claim(~ends | queue.last(word))
    harness.claim((channel.hidden == 0) | (visible != 0) | ~went.open)
    harness.claim(went.open == (copy.open & channel.is_last_copy))
    harness.claim(~went.open | ((went.header == copy.header) & ((rest & ~went.turn) == 0)))
    harness.claim((visible != 0) | ~rest.any() | went.open)
    # Once a copy has left, the packet is there to its tail.
    word = queue.word_at(queue.start)
    every = Mux(went.open, went.turn, channel.turn_of(queue.code(word)))
    tails = [
        queue.last(one) & (ahead < visible)
        for one, ahead in zip(queue.words, queue.ahead, strict=True)
    ]
    harness.claim(~rest.any() | (rest == every) | Cat(tails).any())
    claim_shown_copy(harness, channel)


def claim_shown_copy(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim what other properties need of the flit at the front."""
    copy, front, valid = channel.copy, channel.front, channel.valid
    harness.claim(~copy.open | (copy.turn.any() & is_one_hot_or_zero(copy.turn)))
    harness.claim(~valid | (front.held == copy.open))
    alike = (channel.shown_turn == copy.turn) & (header_of(channel.shown) == copy.header)
    harness.claim(~(valid & copy.open) | alike)
    harness.claim(~valid | (front.flit.last == front.last))
    harness.claim(~valid | channel.is_as_known(channel.shown, channel.shown_turn))
