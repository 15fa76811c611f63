"""What refuses a routing that no hardware should be built for."""

from ..errors import ConfigurationError, DeadlockError
from ..topology import Topology
from .base import Routing
from .deadlock import DeadlockReport


def require_buildable(routing: Routing) -> None:
    """Refuse a routing of which no hardware can be made.

    Raises
    ------
    ConfigurationError
        With the reason; ``allow_deadlock=yes`` does not help.
    """
    if routing.unbuildable is not None:
        raise ConfigurationError(
            f"{routing.topology.name}: routing={routing.name} must not be built: "
            f"{routing.unbuildable}"
        )


def require_deadlock_free(routing: Routing, report: DeadlockReport, *, owner: str) -> None:
    """Refuse a routing that failed its deadlock check.

    Raises
    ------
    DeadlockError
        With the reason and the cycle.
    """
    if not report.deadlock_free:
        raise DeadlockError(
            f"{owner}: routing={routing.name} must be free of deadlock with "
            f"virtual_channels={report.virtual_channels} (or allow_deadlock=yes): "
            f"{report.reason}" + _cycle_text(routing.topology, report)
        )


def _cycle_text(topology: Topology, report: DeadlockReport) -> str:
    """Channels of a cycle of waiting packets, as the end of an error's line."""
    if report.cycle is None:
        return ""
    label = topology.label
    links = [
        f"{label(a)}->{label(b)} vc{vc}" if a != b else f"store {vc} of {label(a)}"
        for a, b, vc in report.cycle
    ]
    return ": " + ", ".join(links)
