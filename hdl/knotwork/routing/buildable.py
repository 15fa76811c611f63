"""What hardware asks of a routing: that it can be built, and what parity needs."""

from collections.abc import Iterable

from ..errors import ConfigurationError, DeadlockError
from ..parameters import YES_NO
from ..topology import LOCAL, Topology
from .base import Routing
from .deadlock import DeadlockReport
from .rules import Turn


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


def require_unchanged_packets(routing: Routing) -> None:
    """Refuse a routing whose packets change on their way.

    Raises
    ------
    ConfigurationError
        Broadcasts or multicasts.
    """
    copies = {"broadcast": routing.options.broadcast_rule}
    copies["multicast"] = YES_NO.shown(routing.options.has_multicast)
    for key, value in copies.items():
        if value != "no":
            raise ConfigurationError(
                f"{routing.topology.name}: {key} must be no with parity=yes, because a copy's "
                f"header changes in the network, not {value}"
            )


def error_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Ejection from every input and virtual channel from which `turns` eject nothing, sorted.

    A packet with a parity error leaves the network there. A node accepts every packet, so these
    turns add no dependency between channels.
    """
    turns = set(turns)
    ejections = {Turn(turn.input_port, turn.input_vc, LOCAL, 0) for turn in turns}
    return tuple(sorted(ejections - turns))
