"""Claims about grants: at most one each way, to the first that could go, in an order kept."""

from itertools import permutations

from amaranth.hdl import Cat, Const

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ...property import Property
from .harness import CreditHarness
from .observed.copy_front import CopyFront
from .observed.output_port import OutputPort


def _grants(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        granted, eligible = output.granted, output.eligible
        harness.claim(is_one_hot_or_zero(granted))
        harness.claim(granted.any() == eligible.any())
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


def grants(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets of all ports, and holders."""
    return Property(
        name="grants",
        text="an output and an input are granted once per cycle at most, to the first eligible "
        "flit in an order of the inputs that a tail leaves last, and another flit first",
        claim=_grants,
        lemmas=base,
    )
