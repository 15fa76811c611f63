"""Requirements of hardware on a routing: that it can be built, and the turns of parity."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import ConfigurationError, DeadlockError
from ..parameters import RouterParameters
from ..topology import Topology
from ..topology.base import RECEIVES, SENDS
from ..topology.metrics import port_patterns
from .base import Routing
from .compiled.rule_check import SAMPLES
from .deadlock import DeadlockReport
from .rules import Turn
from .walks.all_pairs import walk_all

LOADED_ADDRESS = 12
"""Bits of an address up to which tables can be loaded: each input has one entry per address."""


def require_buildable(routing: Routing) -> None:
    """Refuse a routing of which no hardware can be made.

    Raises
    ------
    ConfigurationError
        With the reason; ``allow_deadlock=yes`` does not help. A rule that does not bring every
        packet to its node, or takes turns that are not declared, is refused so too.
    """
    require_declared(routing)
    if routing.unbuildable is not None:
        raise ConfigurationError(
            f"{routing.topology.name}: routing={routing.name} must not be built in hardware: "
            f"{routing.unbuildable}"
        )


def require_declared(routing: Routing) -> None:
    """Refuse a user's routing whose rule is not sound, or takes turns that it does not declare.

    Raises
    ------
    ConfigurationError
        Names the router and the ports.
    """
    if routing.is_trusted:
        return
    routing.require_sound()
    if routing.settled is not None:  # no packet waits, so no turn matters
        return
    topology = routing.topology
    groups = np.asarray(routing.router_groups)
    owner = f"{topology.name}: routing={routing.name}"
    patterns = port_patterns(topology.port_uses)[1]
    if groups.shape != patterns.shape or groups.dtype.kind not in "iu" or groups.min() < 0:
        raise ConfigurationError(
            f"{owner} must have router_groups, a number from 0 on for each of {len(patterns)} "
            f"routers"
        )
    few = None
    if topology.nodes > routing.walk_limit:
        few = np.unique(np.linspace(0, topology.nodes - 1, SAMPLES).astype(np.int64))
    taken = routing.walks if few is None else walk_all(routing, groups, few)
    for group in np.unique(groups).tolist():
        members = np.nonzero(groups == group)[0]
        if len(np.unique(patterns[members])) > 1:
            raise ConfigurationError(
                f"{owner} must have routers with the same ports in each group of router_groups, "
                f"unlike that of router {int(members[0])}"
            )
        missing = sorted(taken.turns[group] - set(routing.class_turns(int(members[0]))))
        if missing:
            i, a, o, b = missing[0]
            raise ConfigurationError(
                f"{owner} must declare in class_turns the turn {topology.ports[i]} (class {a}) -> "
                f"{topology.ports[o]} (class {b}) at router {int(members[0])} and those of its "
                f"group, because its rule takes it"
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
    label = topology.router_label
    links = [
        f"{label(a)}->{label(b)} vc{vc}" if a != b else f"store {vc} of {label(a)}"
        for a, b, vc in report.cycle
    ]
    return ": " + ", ".join(links)


def require_carried(routing: Routing, hardware: RouterParameters) -> None:
    """Refuse what the routers cannot do for the packets of a routing.

    Raises
    ------
    ConfigurationError
        Names the key and its value.
    """
    require_places(routing)
    if hardware.loads_tables:
        require_loadable(routing)


def require_places(routing: Routing) -> None:
    """Refuse routers that need one node each, and links that lead in and out by the same ports.

    Raises
    ------
    ConfigurationError
        Names the key and its value.
    """
    topology = routing.topology
    if not topology.is_direct or _is_regular(topology):
        return
    if routing.router_class == Routing.router_class:
        return
    where = "where routers serve several nodes or none, or ports lead one way"
    if topology.traffic_classes > 1:
        where = f"with classes={topology.traffic_classes}"
    raise ConfigurationError(
        f"{topology.name}: router must be {Routing.router_class} {where}, not "
        f"{routing.router_class}"
    )


def _is_regular(topology: Topology) -> bool:
    """Whether each router serves one node, and every link's port both sends and receives.

    Large networks make their arrays only where links lead one way.
    """
    if topology.local_ports > 1 or topology.routers != topology.nodes:
        return False
    if not topology.is_one_way:
        return True
    both = topology.port_uses[:, topology.local_ports :]
    return bool(np.isin(both, (0, SENDS + RECEIVES)).all())


def require_loadable(routing: Routing) -> None:
    """Refuse tables loaded in service that would be too large, or that packets would escape from.

    Escapes that a key chooses were refused before; these are of a network that has no other scheme,
    or of a user's routing.

    Raises
    ------
    ConfigurationError
        Addresses of too many bits, or a routing with escapes.
    """
    topology = routing.topology
    if routing.escape_class is not None:
        raise ConfigurationError(
            f"{topology.name}: routing must be one without escapes with tables=loaded, because a "
            f"table has one path to a node and no escape channel, not {routing.name}"
        )
    if topology.address_width > LOADED_ADDRESS:
        raise ConfigurationError(
            f"{topology.name}: addresses must have at most {LOADED_ADDRESS} bits with "
            f"tables=loaded, not {topology.address_width}"
        )


def every_turn(
    routing: Routing, node_ports: Iterable[int], *, into: Iterable[int], out: Iterable[int]
) -> set[Turn]:
    """Turns that any table can take at a router: all but those back over the same port's link.

    Parameters
    ----------
    routing : Routing
        Says lanes and classes.
    node_ports : iterable of int
        Ports with nodes.
    into, out : iterable of int
        Ports with links by which the router receives, and by which it sends.
    """
    classes, turns = range(routing.classes), set()
    for lane in range(routing.lanes):
        first = lane * routing.classes
        starts = [(port, first) for port in node_ports]
        inputs = starts + [(port, first + c) for port in into for c in classes]
        for port, vc in inputs:
            turns |= {Turn(port, vc, node, 0) for node in node_ports}
            turns |= {Turn(port, vc, o, first + c) for o in out if o != port for c in classes}
    return set(filter(routing.may_turn, turns))


def error_turns(
    routing: Routing, node_ports: Sequence[int], turns: Iterable[Turn]
) -> tuple[Turn, ...]:
    """Ejection from every input and virtual channel from which `turns` eject nothing, sorted.

    A packet with a parity error leaves the network there: at the router's first node, or at that
    of its class of traffic. A node accepts every packet, so these turns add no dependency between
    channels. A router without nodes has none: a broken packet goes on by a turn of its router,
    which the deadlock check knows, until it comes to one with nodes.
    """
    if not node_ports:
        return ()
    turns, topology = set(turns), routing.topology
    share = routing.virtual_channels // topology.traffic_classes
    ejecting = {
        (turn.input_port, turn.input_vc)
        for turn in turns
        if turn.output_port in node_ports and turn.output_vc == 0
    }
    inputs = {(turn.input_port, turn.input_vc) for turn in turns} - ejecting

    def node_port(vc: int) -> int:
        number = vc // share if topology.traffic_classes > 1 else 0
        return next(port for port in node_ports if topology.port_class(port) == number)

    return tuple(sorted(Turn(port, vc, node_port(vc), 0) for port, vc in inputs))
