"""Claims that any one flit that comes leaves once, unchanged, in order, by its turn."""

from dataclasses import replace
from functools import partial

from amaranth.lib import data

from ....network import Network, RouterKind
from ...property import Property
from ..claims.injection import from_nodes
from ..observed.channel import channel_name
from ..router_harness import Place
from .copy_order import claim_copy_order
from .harness import CreditHarness
from .observed.channel import CreditChannel
from .observed.copy_channel import CopyChannel
from .packets import packets
from .queues import QUEUES


class _Token:
    """Any one flit on its way through a queue.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Flits before it.
    slot : Signal
        Pointer to it.
    expected : View
        The flit and its turn when it came.
    first : Signal
        It is the head of its packet.
    """

    def __init__(self, harness: CreditHarness, channel: CreditChannel) -> None:
        m, name, entry = harness.m, channel.name, channel.entry
        level, came = channel.level, channel.incoming
        self.inside = harness.register(1, f"inside_{name}")
        self.ahead = harness.register(range(channel.depth), f"ahead_{name}")
        self.slot = harness.register(len(channel.queue.into), f"slot_{name}")
        self.expected = harness.record(entry.shape(), f"expected_{name}")
        self.first = harness.register(1, f"first_{name}")
        with m.If(~self.inside & channel.arrives & harness.any_value()):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(level - channel.leaves),
                self.slot.eq(channel.queue.into),
                self.expected.eq(entry),
                self.first.eq(~came.open),
            ]
        with m.Elif(self.inside & channel.leaves):
            m.d.sync += [self.inside.eq(self.ahead != 0), self.ahead.eq(self.ahead - 1)]


def _order(harness: CreditHarness, place: Place) -> None:
    channel = harness.queued[place]
    if isinstance(channel, CopyChannel):
        claim_copy_order(harness, channel)
        return
    queue, front = channel.queue, channel.front
    token = _Token(harness, channel)
    expected, inside = token.expected, token.inside
    if not channel.is_local:
        sent = data.View(channel.flit.shape(), harness.link(channel.port, "i_flit"))
        harness.claim(~channel.arrives | channel.is_received(sent))
    harness.claim(~inside | ((token.ahead < channel.level) & queue.is_at(token.slot, token.ahead)))
    harness.claim(~inside | (token.slot < channel.depth))
    harness.claim(~inside | channel.is_as_known(expected.flit, expected.turn))
    flit = channel.whole(queue.flit_at(token.slot), "token")
    harness.claim(~inside | (flit.as_value() == expected.flit.as_value()))
    word = queue.word_at(token.slot)
    harness.claim(~inside | (channel.turn_of(queue.code(word)) == expected.turn))
    harness.claim(~inside | (queue.last(word) == expected.flit.last))
    goes = harness.named(inside & (token.ahead == 0) & channel.leaves, f"goes_{channel.name}")
    way = harness.named(channel.chosen(expected.turn), f"way_{channel.name}")
    harness.claim(~goes | (channel.shown_turn == way))
    harness.claim(~goes | (front.flit.as_value() == expected.flit.as_value()))
    for number, turn in enumerate(channel.turns):
        output = harness.outputs[turn.output_port]
        leaves = harness.named(goes & way[number], f"leaves{number}_{channel.name}")
        harness.claim(~leaves | output.grants(front))
        if harness.can_happen(turn):
            harness.cover(leaves & ~token.first)
            harness.cover(leaves & token.first)


def order(network: Network, kind: RouterKind, place: Place) -> Property:
    """Property of one input channel."""
    name, link = channel_name(network, *place), network.topology.ports[place[0]]
    copies = bool(kind.branches(*place))
    kept = any(kind.branches(place[0], vc) for vc in kind.input_vcs(place[0]))
    turns = "once by each of its turns, whole," if copies else "once, whole, by its turn,"
    whole = (replace(packets(link, kind, place[0]), given=None),) if kept else ()
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its queue {turns} in order",
        claim=partial(_order, place=place),
        lemmas=(*from_nodes(kind), QUEUES, *whole),
    )
