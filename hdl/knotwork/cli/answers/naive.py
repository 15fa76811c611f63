"""Answer of `schedule --naive`: whether messages collide without a table, and where."""

from typing import Any

import click

from ...errors import ConfigurationError
from ...routing import routings_of
from ...routing.batch import BatchRouting
from ...routing.scheduling.linear_complement import Collision, NaiveRun
from ...routing.scheduling.schedule import SchedulingRouting
from ...topology import TOPOLOGIES
from ...wording import plural
from .. import output
from .messages import Delivery
from .schedule import ROW_LIMIT


def naive_routing(delivery: Delivery, routing: SchedulingRouting) -> BatchRouting:
    """Routing whose network's dimensions are taken in turn.

    Raises
    ------
    ConfigurationError
        A network without dimensions; messages that are no permutation.
    """
    if not isinstance(routing, BatchRouting):
        able = [
            name
            for name in TOPOLOGIES
            if any(issubclass(kind, BatchRouting) for kind in routings_of(name).values())
        ]
        raise ConfigurationError(
            f"schedule: --naive must be used with {' or '.join(able)}, which route one dimension "
            f"after the other, not {routing.topology.name}"
        )
    if delivery.kind != "permutation":
        raise ConfigurationError(
            "schedule: --naive must be used with --permutation, not --messages"
        )
    return routing


def _facts(run: NaiveRun, routing: BatchRouting) -> dict[str, Any]:
    """Facts of a run, by the names that `schedule --naive` promises."""
    collided = run.collided()
    return {
        "order": run.order,
        "dimensions": list(run.dimensions),
        "steps": len(run.dimensions),
        "link_steps": routing.naive_link_steps,
        "conflict_free": not any(collided),
        "collided": collided,
    }


def _collision(run: NaiveRun, step: int, found: Collision, routing: BatchRouting) -> dict[str, Any]:
    """Collision as JSON reports it: its link, and the message at each end."""
    ends = {
        role: {"source": source, "destination": int(run.destinations[source])}
        for role, source in (("stays", found.stays), ("comes", found.comes))
    }
    dimension = run.dimensions[step]
    place = {"step": step + 1, "dimension": dimension, "node": found.node}
    return place | {"link": _link(routing, dimension, found)} | ends


def _link(routing: BatchRouting, dimension: int, found: Collision) -> dict[str, Any]:
    """Link over which the other message comes; without a port, it takes more than one."""
    link, topology = routing.dimension_link(dimension, found.begin), routing.topology
    if link is None:
        return {"from": found.begin, "to": found.node, "port": None}
    router, port = link
    return {
        "from": router,
        "to": int(topology.neighbours[router, port]),
        "port": topology.ports[port],
    }


def print_json(delivery: Delivery, run: NaiveRun, routing: BatchRouting) -> None:
    """Print a run by the names that `schedule --naive` promises."""
    step, collisions = run.first_collisions()
    listed = [_collision(run, step, found, routing) for found in collisions]
    head = {delivery.kind: delivery.name, **_facts(run, routing), "collisions": listed}
    output.print_json_lists("positions", (held.tolist() for held in run.positions()), head)


def print_run(delivery: Delivery, run: NaiveRun, routing: BatchRouting) -> None:
    """Print the node of each message after each step, if there are few, then the collisions."""
    title = f"{routing.topology.instance_name}: {delivery.name}, naively"
    nodes, label = len(run.destinations), routing.topology.label
    if nodes <= ROW_LIMIT:
        steps = [held.tolist() for held in run.positions()]
        columns = ["source", "destination", *(f"after {k}" for k in run.dimensions)]
        ways = zip(range(nodes), run.destinations.tolist(), *steps, strict=True)
        rows = [tuple(map(label, way)) for way in ways]
        output.table(title, columns, rows)
        title = "Naive routing"
    output.facts(title, _facts(run, routing))
    step, collisions = run.first_collisions()
    if not collisions:
        return
    rows = [_row(run, step, found, routing) for found in collisions[:ROW_LIMIT]]
    columns = ("node", "its message", "other message", "comes over")
    output.table(f"Collisions in step {step + 1}, dimension {run.dimensions[step]}", columns, rows)
    if len(collisions) > ROW_LIMIT:
        click.echo(f"The first {plural(ROW_LIMIT, 'collision')} are listed; --json has them all.")


def _row(run: NaiveRun, step: int, found: Collision, routing: BatchRouting) -> tuple[str, ...]:
    label = routing.topology.label
    stays, comes = (
        f"{label(source)} to {label(int(run.destinations[source]))}"
        for source in (found.stays, found.comes)
    )
    link = _link(routing, run.dimensions[step], found)
    over = f"{link['port'] or 'links'} from {label(link['from'])} to {label(link['to'])}"
    return label(found.node), stays, comes, over
