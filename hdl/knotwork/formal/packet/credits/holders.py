"""Claims about who holds an output's virtual channels."""

from amaranth.hdl import Cat, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....routing import Turn
from ...property import Property
from .harness import CreditHarness
from .observed.channel import CreditChannel
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


def holders(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, and packets of all ports."""
    return Property(
        name="holders",
        text="one packet at most holds a virtual channel of an output, from its head to its tail; "
        "it holds the only one of an output as the first in its order",
        claim=_holders,
        lemmas=base,
    )
