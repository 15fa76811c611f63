"""What parity requires of a routing: unchanged packets, and turns to the node."""

from collections.abc import Iterable

from ..errors import ConfigurationError
from ..parameters import YES_NO
from ..topology import LOCAL
from .base import Routing
from .rules import Turn


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
