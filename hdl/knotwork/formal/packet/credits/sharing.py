"""Claims about a link that the outputs of several classes of traffic share."""

from amaranth.hdl import Signal, Value

from ....gateware.packet.classes import by_class, place_name
from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import RouterKind
from ...property import Property
from .harness import CreditHarness
from .observed.output_port import OutputPort


def _sharing(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        if output.shares:
            _open(harness, output)
            _alone(harness, output)


def _open(harness: CreditHarness, output: OutputPort) -> None:
    """Claim which class the link is open to: one that could send, if any could."""
    count, number = harness.network.traffic_classes, harness.kind.traffic_class
    assert number is not None
    asks, opens = (
        harness.inside(f"classes_{output.link}.{name}", count) for name in ("asks", "open")
    )
    harness.claim(asks[number] == output.eligible.any())
    harness.claim(opens[number] == output.is_open)
    harness.claim(is_one_hot_or_zero(asks & opens))
    harness.claim(asks.any() == (asks & opens).any())
    if not harness.network.class_weights:
        harness.claim(opens[number] == ~asks[number + 1 :].any())
    else:
        spent = harness.inside(f"classes_{output.link}.spent", count)
        waits = (asks & ~spent).any()
        harness.claim(~(asks[number] & opens[number] & spent[number]) | ~waits)
    if any(harness.reaches(front, output) for front in output.fronts):
        if number > 0:
            harness.cover(output.granted.any() & asks[:number].any())
        if number + 1 < count:
            harness.cover(output.eligible.any() & ~output.is_open)


def _alone(harness: CreditHarness, output: OutputPort) -> None:
    """Claim that no flit of another class is on the way to the link beside one of this class."""
    own = _steps(harness, output, output.name)
    for kind in _others(harness):
        name = place_name(output.link, kind)
        other = _steps(harness, output, name)
        for one, same in zip(own, other, strict=True):
            harness.claim(~(one & same))
        flit = harness.inside(f"output_{name}.flit", len(output.flit.as_value()))
        harness.claim(~own[-1] | (flit == 0))


def _steps(harness: CreditHarness, output: OutputPort, name: str) -> list[Value]:
    """Whether a class was granted the link: in this cycle, and in those until the flit is on it."""
    bits = len(output.granted)
    steps: list[Value] = [harness.inside(f"output_{name}.granted", bits).any()]
    for number in range(1 + output.is_staged):
        before: Signal = harness.register(1, f"granted_{name}_{number}")
        harness.m.d.sync += before.eq(steps[-1])
        steps.append(before)
    if output.is_staged:
        crosses = harness.inside(f"output_{name}.crosses", bits)
        harness.claim(crosses.any() == steps[1])
    return steps


def _others(harness: CreditHarness) -> list[RouterKind]:
    """The router's other classes."""
    kind = harness.kind
    return [
        one for one in by_class(harness.network, kind) if one.traffic_class != kind.traffic_class
    ]


def sharing(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets, holders and grants."""
    return Property(
        name="sharing",
        text="a link is open to one class that could send, if any could: to the highest, or with "
        "weights to one that has spent its weight only if all that could send have; no flit of "
        "another class is on the way to the link beside it",
        claim=_sharing,
        lemmas=base,
    )
