"""What `schedule` tells: rounds and paths of what is delivered, and the facts of the schedule."""

import click

from ...routing.scheduling.schedule import Schedule, SchedulingRouting, Transfer
from ...topology import Topology
from ...wording import counted
from .. import output
from .messages import Delivery

ROW_LIMIT = 64
"""Packets up to which a table has a row for each."""


def print_json(asked: Delivery, made: Schedule) -> None:
    """Print a schedule by the names that `schedule` promises."""
    head = {
        asked.kind: asked.name,
        "steps": made.steps,
        "conflict_free": made.conflict_free,
        **made.facts,
    }
    rounds = ((transfer._asdict() for transfer in transfers) for transfers in made.rounds)
    output.print_json_lists("rounds", rounds, head)


def print_schedule(routing: SchedulingRouting, asked: Delivery, made: Schedule) -> None:
    """Print one row per packet, if there are few, and then the facts."""
    topology = routing.topology
    title = f"{topology.instance_name}: {asked.name} by {routing.name}"
    facts: dict[str, object] = {"steps": made.steps, "conflict_free": made.conflict_free}
    facts |= {fact: _lines(value) for fact, value in made.facts.items()}
    if len(asked.messages.sources) > ROW_LIMIT:
        output.facts(title, facts)
        limit = counted(ROW_LIMIT, "node" if asked.kind == "permutation" else "message")
        click.echo(f"Paths are listed up to {limit}; --json has them all.")
        return
    rounds = [[_cells(transfer, topology) for transfer in transfers] for transfers in made.rounds]
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
    """Value as a table shows it: lines of text, such as a matrix has, below each other."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return value
