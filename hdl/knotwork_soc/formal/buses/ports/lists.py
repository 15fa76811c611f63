"""What the proofs of both guards share: lists of a harness, and how long a memory did nothing."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Mux, Value, ValueLike
from knotwork.formal.component import ComponentHarness
from knotwork.formal.property import Property


class ShortList:
    """Up to two numbers in order, of a monitor.

    Parameters
    ----------
    harness : ComponentHarness
        Where the monitor is.
    name : str
        Of its registers.
    bits : int
        Bits of a number.

    Members
    -------
    count : Value
        Numbers in it.
    first, second : Value
        The one that leaves next, and the one behind it.
    """

    def __init__(self, harness: ComponentHarness, name: str, bits: int) -> None:
        self._harness = harness
        self.count = harness.register(2, f"{name}_count")
        self.first = harness.register(bits, f"{name}_first")
        self.second = harness.register(bits, f"{name}_second")

    def move(self, *, comes: Value, number: ValueLike, leaves: Value) -> None:
        """Let a number come, and let the first leave."""
        m = self._harness.m
        m.d.sync += self.count.eq(self.count + comes - leaves)
        with m.If(leaves):
            m.d.sync += self.first.eq(Mux(self.count == 2, self.second, number))
        with m.Elif(self.count == 0):
            m.d.sync += self.first.eq(number)
        with m.If(comes):
            m.d.sync += self.second.eq(number)


def claim_silence(harness: ComponentHarness, waits: Value, timeout: int) -> None:
    """Claim that after so many cycles in a row of waiting the memory is silent, and not before."""
    silent = harness.port("silent")
    waited = harness.register(timeout.bit_length(), "waited")
    harness.m.d.sync += waited.eq(Mux(waits & ~silent, waited + 1, 0))
    cycles = harness.inside("timer.cycles", (timeout - 1).bit_length())
    was_silent = harness.before(silent, "was_silent")
    harness.claim(silent | ((waited == cycles) & (waited < timeout)))
    harness.claim(was_silent | (silent == (waited == timeout)))
    harness.cover(silent & ~was_silent)
    harness.cover(was_silent & ~silent)


# Any: each guard's claims take its own harness.
def guard_properties(
    known: Callable[[Any], None], held: Callable[[Any], None], silence: Callable[[Any], None]
) -> tuple[Property, Property, Property]:
    """Properties of both guards: what they know, that offers stay, when a memory is silent."""
    lemma = Property(
        name="known", text="what the guard knows of both sides, as both have said", claim=known
    )
    stays = Property(
        name="held", text="what is offered stays until taken", claim=held, lemmas=(lemma,)
    )
    text = "the memory is silent after the timeout, and heard again after its late answers"
    return (
        lemma,
        stays,
        Property(name="silence", text=text, claim=silence, lemmas=(lemma,), cover=40),
    )
