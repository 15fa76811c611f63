"""Answer of `check`: whether a network's channels can wait for each other in a ring."""

from pathlib import Path

from ...collective_groups import check_tree
from ...designs import Design
from ...network import Network
from ...routing import DeadlockReport
from ...routing.deadlock import check_messages
from ...routing.scheduling.messages import read_messages
from .. import output


def deadlock_answer(report: DeadlockReport) -> dict[str, object]:
    """Outcome of the deadlock check by the names that `check` promises."""
    return {
        "deadlock_free": report.deadlock_free,
        "channels": report.channels,
        "dependencies": report.dependencies,
        "virtual_channels": report.virtual_channels,
        "cycle": report.cycle,
        "reason": report.reason,
    }


def trees_answer(network: Network) -> dict[str, object]:
    """What is checked of the trees of groups that have collectives; nothing without."""
    checks = {group.name: check_tree(group.tree) for group in network.collective_groups}
    trees = [{"name": name, **check._asdict()} for name, check in checks.items()]
    return {"collective_trees": trees} if trees else {}


def messages_report(network: Network, file: Path) -> DeadlockReport:
    """Outcome of the deadlock check of the messages in a file alone."""
    sources, destinations = read_messages(file, network.topology.nodes)
    return check_messages(network.routing, sources.tolist(), destinations.tolist())


def print_deadlock_report(design: Design, report: DeadlockReport) -> None:
    """Print the facts of the check, and the ring of channels if there is one."""
    facts, network = deadlock_answer(report) | trees_answer(design.network), design.network
    del facts["cycle"]
    output.facts(f"{design.name}, routing={network.routing.name}", facts)
    if report.cycle:
        label = network.topology.label
        rows = [(label(a), label(b), channel) for a, b, channel in report.cycle]
        output.table(
            "Each channel waits for the next, the last for the first",
            ("from", "to", "virtual channel"),
            rows,
        )
