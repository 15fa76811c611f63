"""Claims about how many flits of others are granted before one that could go."""

from amaranth.hdl import Mux, Value

from ....network import RouterKind
from ...property import Property
from ..router_harness import LENGTH_BITS
from .harness import CreditHarness
from .observed.output_port import OutputPort


def _progress(harness: CreditHarness) -> None:
    harness.assume(harness.any_length != 0)
    for output in harness.outputs.values():
        passed = [_passed(harness, output, vc) for vc in output.vcs]
        for number in range(len(output.fronts)):
            _waits(harness, output, number, passed)


def _passed(harness: CreditHarness, output: OutputPort, vc: int) -> Value:
    """Flits of the packet under way in a virtual channel that were granted it."""
    count = harness.register(LENGTH_BITS, f"passed_{output.name}_vc{vc}")
    taken = harness.named(output.taken(vc), f"taken_{output.name}_vc{vc}")
    longer = (count + 1)[:LENGTH_BITS]
    with harness.m.If(taken):
        harness.m.d.sync += count.eq(Mux(output.tail, 0, longer))
    # Packets end.
    harness.assume(~taken | output.tail | (count + 1 < harness.any_length))
    harness.claim(count < harness.any_length)
    return count


def _waits(harness: CreditHarness, output: OutputPort, number: int, passed: list[Value]) -> None:
    """Claim how many packets, and how many flits, are granted before an eligible one."""
    count = len(output.fronts)
    eligible, granted = output.eligible[number], output.granted[number]
    waits = eligible & ~granted
    name = f"{output.name}_{number}"
    tails = harness.register(range(count + 1), f"tails_{name}")
    flits = harness.register(range((count + len(passed)) << LENGTH_BITS), f"flits_{name}")
    harness.m.d.sync += [
        tails.eq(Mux(waits, tails + output.tail, 0)),
        flits.eq(Mux(waits, flits + output.is_open, 0)),
    ]
    ahead: Value = sum(
        (output.first[other, number] for other in range(count) if other != number),
        start=Value.cast(0),
    )
    harness.claim(~eligible | (tails + ahead < count))
    most: Value = sum(passed, start=Value.cast(0))
    for more in range(1, count):
        most = most + (harness.any_length & (tails >= more).replicate(LENGTH_BITS))
    harness.claim(~eligible | (flits <= most))
    if harness.rivals(output.fronts[number], output):
        harness.cover(granted & (tails != 0))


def progress(kind: RouterKind, base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues and grants."""
    asked = {(turn.input_port, turn.output_port) for turn in kind.turns}
    outputs = [output for _, output in asked]
    rivals = max(outputs.count(output) for output in outputs) - 1
    channels = max(len(kind.output_vcs(output)) for output in outputs)
    return Property(
        name="progress",
        text=f"a flit that stays eligible waits for at most {rivals} tails of others, and leaves "
        f"within {rivals} L + {channels} (L - 1) + 1 cycles (L: flits in the longest packet)",
        claim=_progress,
        lemmas=base,
    )
