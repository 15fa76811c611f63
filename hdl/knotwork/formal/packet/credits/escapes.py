"""Claims about escapes: a head takes its escape only after its way was not open."""

from amaranth.hdl import Cat, Value

from ...property import Property
from .harness import CreditHarness
from .observed.escape_channel import EscapeChannel
from .observed.output_port import OutputPort


def _escapes(harness: CreditHarness) -> None:
    for channel in harness.escaping.values():
        _asks_in_turn(harness, channel)
    for (port, vc), receiver in harness.receivers.items():
        if receiver.all_free is not None:
            entered = _entered(harness.outputs[port], vc)
            harness.claim(~entered | receiver.is_empty)


def _asks_in_turn(harness: CreditHarness, channel: EscapeChannel) -> None:
    """Claim that a head asks for its way first, and then for the other one than last in vain."""
    front, packet = channel.front, channel.taken
    is_head = channel.valid & ~front.held
    asks_out = harness.named(channel.way_out(channel.shown_turn).any(), f"out_{channel.name}")
    in_vain = harness.register(1, f"in_vain_{channel.name}")
    with harness.m.If(is_head & channel.leaves):
        harness.m.d.sync += in_vain.eq(0)
    with harness.m.Elif(is_head & ~harness.eligible(front)):
        harness.m.d.sync += in_vain.eq(~asks_out)
    first = channel.way_out(channel.first_turns).any()
    harness.claim(~is_head | (asks_out == (in_vain & first)))
    # A head that is not shown keeps what it asks for; before a head comes, its way is asked for.
    waits = (channel.level != 0) & ~packet.open & first
    harness.claim(~waits | (channel.asks_out == in_vain))
    harness.claim((channel.level != 0) | packet.open | ~(channel.asks_out | in_vain))
    harness.claim(~packet.open | ~in_vain)
    harness.cover(is_head & asks_out & channel.leaves)


def _entered(output: OutputPort, vc: int) -> Value:
    """Whether a head is granted a virtual channel."""
    heads = [
        output.grants(front) & front.takes(output.port, vc) & ~front.held for front in output.fronts
    ]
    return Cat(heads).any()


def escapes(base: tuple[Property, ...], credits_held: Property) -> Property:
    """Property that rests on `base`, queues, grants and packets of all ports, and on credits."""
    return Property(
        name="escapes",
        text="a head asks for its way first, and for its escape only after its way was not open; "
        "but by an escape, it enters a virtual channel only while that is empty",
        claim=_escapes,
        lemmas=(*base, credits_held),
    )
