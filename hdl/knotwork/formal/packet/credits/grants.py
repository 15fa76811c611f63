"""Claims about grants: who holds a channel, and who is granted an output, in an order kept."""

from itertools import permutations

from amaranth.hdl import Cat, Const, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....routing import Turn
from ...property import Property
from .harness import CreditHarness
from .observed.channel import CreditChannel
from .observed.copy_front import CopyFront
from .observed.output_port import OutputPort

Sender = tuple[CreditChannel, Turn]


def senders(harness: CreditHarness, output: OutputPort, vc: int) -> list[Sender]:
    """Input channels that lead to a virtual channel of an output, each with its turn."""
    turns = [t for t in harness.kind.turns if (t.output_port, t.output_vc) == (output.port, vc)]
    return [(harness.queued[turn.input_port, turn.input_vc], turn) for turn in turns]


def _holders(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        harness.claim(is_one_hot_or_zero(output.granted))
        for vc in output.vcs:
            leading = senders(harness, output, vc)
            opened = Cat(channel.going(turn).open for channel, turn in leading)
            harness.claim(is_one_hot_or_zero(opened))
            harness.claim(output.busy(vc) == opened.any())
            for channel, turn in leading:
                goes, is_open = channel.goes(turn), channel.going(turn).open
                harness.claim(~goes | (is_open == output.busy(vc)))
                if len(output.vcs) == 1:
                    harness.claim(~is_open | _is_first(output, channel))
                if harness.can_happen(turn):
                    harness.cover(goes & is_open)


def _is_first(output: OutputPort, channel: CreditChannel) -> Value:
    """Whether a channel's input comes before all others at an output."""
    number = output.fronts.index(channel.front)
    before = [is_first for (_, other), is_first in output.first.items() if other == number]
    return ~Cat(before).any()


def _grants(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        granted, eligible = output.granted, output.eligible
        harness.claim(is_one_hot_or_zero(granted))
        harness.claim(granted.any() == (eligible.any() & output.is_open))
        harness.claim((granted & ~eligible) == 0)
        for (one, other), is_first in output.first.items():
            harness.claim(~(eligible[one] & eligible[other] & is_first) | ~granted[other])
        _keeps_order(harness, output)
        reached = [harness.reaches(front, output) for front in output.fronts]
        for number, front in enumerate(output.fronts):
            if reached[number]:
                harness.cover(granted[number] & front.last & ~front.held)
                harness.cover(granted[number] & front.held)
        if any(harness.rivals(front, output) for front in output.fronts):
            harness.cover((eligible & ~granted).any())
    for front in harness.fronts.values():
        grants = Cat(harness.outputs[port].grants(front) for port in front.outputs)
        several = front.last & ~front.held if isinstance(front, CopyFront) else Const(0)
        harness.claim(is_one_hot_or_zero(grants) | several)


def _keeps_order(harness: CreditHarness, output: OutputPort) -> None:
    """Claim that the order is total; that a tail puts its input last, and another flit first."""
    first = output.first
    for one, other, third in permutations(range(len(output.fronts)), 3):
        if one < other and one < third:  # each cycle once
            harness.claim(~(first[one, other] & first[other, third] & first[third, one]))
    for (one, other), is_first in first.items():
        if one > other:
            continue
        name = f"{output.name}_{one}_{other}"
        before = harness.register(1, f"before_{name}", init=1)
        rises, falls = harness.register(1, f"rises_{name}"), harness.register(1, f"falls_{name}")
        granted = output.granted
        tails = [front.last for front in output.fronts]
        harness.m.d.sync += [
            before.eq(is_first),
            rises.eq((granted[one] & ~tails[one]) | (granted[other] & tails[other])),
            falls.eq((granted[other] & ~tails[other]) | (granted[one] & tails[one])),
        ]
        harness.claim(~(rises & falls))
        harness.claim(is_first == ((before | rises) & ~falls))
        if harness.reaches(output.fronts[one], output):
            harness.cover(before & falls)


def holders(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, and packets of all ports."""
    return Property(
        name="holders",
        text="one packet at most holds a virtual channel of an output, from its head to its tail; "
        "it holds the only one of an output as the first in its order",
        claim=_holders,
        lemmas=base,
    )


def grants(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets of all ports, and holders."""
    return Property(
        name="grants",
        text="an output and an input are granted once per cycle at most, to the first eligible "
        "flit in an order of the inputs that a tail leaves last, and another flit first",
        claim=_grants,
        lemmas=base,
    )
