"""Answer of `schedule`: rounds and paths of what is delivered, and the facts of the schedule."""

from collections.abc import Mapping, Sequence

import click

from ...errors import ConfigurationError
from ...routing.scheduling.on_line import CHOICES, Expectation, on_line_cycles
from ...routing.scheduling.schedule import Schedule, SchedulingRouting, Transfer
from ...topology import LeastCommonAncestor, Topology
from ...wording import entry_named, plural
from .. import output
from .messages import Delivery

ROW_LIMIT = 64
"""Packets up to which a table has a row for each."""


def on_line(
    routing: SchedulingRouting, delivery: Delivery, seeds: Sequence[int], choice: str | None
) -> dict[str, object]:
    """Network cycles of runs in which the switches choose, one with each seed.

    Raises
    ------
    ConfigurationError
        Switches that choose nothing, or a rule that is unknown.
    """
    topology = _choosing(routing, "--online")
    rule = next(iter(CHOICES)) if choice is None else choice
    entry_named(CHOICES, "schedule: --choice", rule)
    cycles = on_line_cycles(topology, *delivery.messages, seeds, choice=rule)
    return {
        "choice": rule,
        "runs": len(seeds),
        "mean": round(float(cycles.mean()), 6),
        "min": int(cycles.min()),
        "max": int(cycles.max()),
    }


def expectation(routing: SchedulingRouting, delivery: Delivery) -> dict[str, object]:
    """Exact expectation of the network cycles on line, and the probability of each number.

    Raises
    ------
    ConfigurationError
        Switches that choose nothing, or more outcomes than are enumerated.
    """
    made = Expectation(_choosing(routing, "--expected"))
    chances = made.distribution(*delivery.messages)
    return {
        "cycles": str(made.cycles(*delivery.messages)),
        "probability": {str(count): str(chance) for count, chance in chances.items()},
    }


def _choosing(routing: SchedulingRouting, option: str) -> LeastCommonAncestor:
    """Topology of a network whose switches can choose the uppers."""
    if routing.level_tree is None:
        raise ConfigurationError(
            f"schedule: {option} must be used with a network of circuits, not "
            f"{routing.topology.name} with routing={routing.name}"
        )
    return routing.level_tree


def print_json(delivery: Delivery, schedule: Schedule) -> None:
    """Print a schedule by the names that `schedule` promises."""
    head = {
        delivery.kind: delivery.name,
        "steps": schedule.steps,
        "conflict_free": schedule.conflict_free,
        **schedule.facts,
    }
    rounds = ((transfer._asdict() for transfer in transfers) for transfers in schedule.rounds)
    output.print_json_lists("rounds", rounds, head)


def print_schedule(routing: SchedulingRouting, delivery: Delivery, schedule: Schedule) -> None:
    """Print one row per packet, if there are few, and then the facts."""
    topology = routing.topology
    title = f"{topology.instance_name}: {delivery.name} by {routing.name}"
    facts: dict[str, object] = {"steps": schedule.steps, "conflict_free": schedule.conflict_free}
    facts |= {fact: _lines(value) for fact, value in schedule.facts.items()}
    if len(delivery.messages.sources) > ROW_LIMIT:
        output.facts(title, facts)
        limit = plural(ROW_LIMIT, "node" if delivery.kind == "permutation" else "message")
        click.echo(f"Paths are listed up to {limit}; --json has them all.")
        return
    rounds = [
        [_cells(transfer, topology) for transfer in transfers] for transfers in schedule.rounds
    ]
    columns = ("source", "destination", "path", "hops")
    if len(rounds) == 1:
        output.table(title, columns, rounds[0])
    else:
        rows = [(number, *row) for number, rows in enumerate(rounds, start=1) for row in rows]
        output.table(title, ("round", *columns), rows)
    output.facts("Schedule", facts)


def _cells(transfer: Transfer, topology: Topology) -> tuple[object, ...]:
    path = " ".join(map(topology.router_label, transfer.path))
    return transfer.source, transfer.destination, path, len(transfer.path) - 1


def _lines(value: object) -> object:
    """Value as a table shows it: lines of text, such as a matrix has, below each other.

    A fact with a key is named with it: ``probability(2)``.
    """
    if isinstance(value, Mapping):
        parts = {
            name: {f"{name}({key})": entry for key, entry in part.items()}
            if isinstance(part, Mapping)
            else {name: part}
            for name, part in value.items()
        }
        return {name: entry for part in parts.values() for name, entry in part.items()}
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return value
