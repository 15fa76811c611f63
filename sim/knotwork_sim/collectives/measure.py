"""Cycles of one collective on its group's tree, and of what the data network has instead."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np
from knotwork.collective_groups import NodeGroup
from knotwork.errors import CheckFailedError, ConfigurationError
from knotwork.network import Network
from knotwork.routing.collectives import REDUCING, Collective
from knotwork.routing.messages import operation_word
from knotwork.wording import not_one_of

from ..traffic.keys import Traffic
from . import ports, unicasts
from .copies import broadcast_cycles, relay_cycles, require_broadcast, require_relay
from .messages import Round, make_round, random_beats

COLLECTIVES = {kind.name.lower(): kind for kind in Collective}
"""Collectives by the names that users write."""

ENGINES = ("model", "rtl", "both")
"""What runs the tree: the golden model, the Verilog, or both compared."""


class Request(NamedTuple):
    """Collective that is measured.

    Members
    -------
    kind : Collective
        The collective.
    length : int
        Beats of a vector, of a part of a gather or scatter; of a barrier it counts for nothing.
    group : int
        Place of the group in the key ``groups``.
    root : int or None
        Member that sends to others or receives; the first one if None.
    receivers : tuple of int or None
        Members that receive a multicast; all but the root if None.
    operation : str or None
        Operation of a reduction, as in the key ``operations``; the first one if None.
    pauses : float
        Probability that a member pauses in a cycle before a beat that it sends, or takes none.
    seed : int
        Decides the data and the pauses.
    packet : int
        Most beats of a packet of unicasts.
    """

    kind: Collective
    length: int
    group: int = 0
    root: int | None = None
    receivers: tuple[int, ...] | None = None
    operation: str | None = None
    pauses: float = 0.0
    seed: int = 1
    packet: int = unicasts.PACKET


@dataclass(frozen=True, kw_only=True)
class Other:
    """The same by other means than the tree.

    Members
    -------
    means : str
        Key of `MEANS`.
    algorithm : str
        Algorithm, or what copies the packets.
    cycles : int
        Cycles until the last beat is received.
    speedup : float
        How many times as many as the tree needs.
    """

    means: str
    algorithm: str
    cycles: int
    speedup: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Collective on its tree, and by other means.

    Members
    -------
    network, collective, engine, group : str
        Names.
    has_collectives : bool
        Whether the network has the group; else it is that of ``collectives=yes``.
    nodes, depth : int
        Members of the group, and hops from the tree's centre to the furthest.
    operation : str or None
        Operation of a reduction.
    root : int or None
        Member that sends to others or receives.
    receivers : int or None
        Nodes that receive a multicast.
    width, length, bytes : int
        Bits of a beat; beats and bytes of a vector.
    cycles : int
        Cycles from the first offer until the last beat is received.
    beats : int
        Beats that the member with the most of them receives, or sends in a scatter.
    beats_per_cycle, bytes_per_cycle : float
        The same per cycle of the collective.
    streaming_beats_per_cycle : float
        Beats per cycle at that member, from its first beat to its last.
    mismatches : int or None
        Cycles and ports where Verilog and golden model differ; None where not compared.
    pauses : float
        Probability of a pause.
    seed : int
        Decides the data and the pauses.
    against : list of Other
        Other means, the fastest of each first.
    """

    network: str
    collective: str
    engine: str
    group: str
    has_collectives: bool
    nodes: int
    depth: int
    operation: str | None
    root: int | None
    receivers: int | None
    width: int
    length: int
    bytes: int
    cycles: int
    beats: int
    beats_per_cycle: float
    bytes_per_cycle: float
    streaming_beats_per_cycle: float
    mismatches: int | None
    pauses: float
    seed: int
    against: list[Other] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Members by the names that `collective` promises."""
        return asdict(self)


def measure(
    network: Network, request: Request, *, against: Sequence[str] = (), engine: str = "model"
) -> Measured:
    """Run a collective on its tree, and by other means.

    Parameters
    ----------
    against : sequence of str
        Keys of `MEANS`.
    engine : str
        One of `ENGINES`.

    Raises
    ------
    ConfigurationError
        What the network, the group or the collective does not have.
    CheckFailedError
        An answer differs from that of NumPy, or the Verilog from the golden model.
    """
    for means in against:
        if means not in MEANS:
            raise ConfigurationError(not_one_of("collective: --against", MEANS, means))
    if len(set(against)) < len(against):
        raise ConfigurationError(
            f"collective: --against must name each once, not {','.join(against)}"
        )
    placed, group = _group_of(network, request)
    root, receivers = _ends(group, request)
    length = 1 if request.kind == Collective.BARRIER else request.length
    operation = _operation(group, request)
    run = ports.Group(
        group.name, group.tree, group.form, [_round(group, request, root, receivers, operation)]
    )
    goal = unicasts.Goal(request.kind, group.tree.members, root, receivers, length, request.packet)
    for means in against:
        MEANS[means].require(network, goal)
    pauses = ports.Pauses.of(request.pauses, request.pauses, changing=False, seed=request.seed)
    log, mismatches = _run(placed, run, pauses, engine)
    found = ports.judge([run], log)
    if found.first_wrong is not None or mismatches:
        raise CheckFailedError(
            f"{network.name}: a collective must give the answers of NumPy"
            f"{' and match its model' if mismatches is not None else ''}, not "
            f"{found.first_wrong or f'differ {mismatches} times'}; seed={request.seed} repeats it"
        )
    beats, rate = _busiest(run, log, scatters=request.kind == Collective.SCATTER)
    cycles, width = found.last, group.form.width
    reduces = request.kind in REDUCING
    rooted = request.kind not in (Collective.BARRIER, Collective.ALL_REDUCE)
    traffic = Traffic(bubble=request.pauses, stall=request.pauses, seed=request.seed)
    return Measured(
        network=network.name,
        collective=request.kind.name.lower(),
        engine=engine,
        group=group.name,
        has_collectives=bool(network.collective_groups),
        nodes=len(group.tree.members),
        depth=group.tree.depth,
        operation=operation_word(group.form.operations[operation]) if reduces else None,
        root=root if rooted else None,
        receivers=len(receivers) if request.kind == Collective.MULTICAST else None,
        width=width,
        length=length,
        bytes=length * width // 8,
        cycles=cycles,
        beats=beats,
        beats_per_cycle=round(beats / cycles, 4),
        bytes_per_cycle=round(beats * width / 8 / cycles, 4),
        streaming_beats_per_cycle=round(rate, 4),
        mismatches=mismatches,
        pauses=request.pauses,
        seed=request.seed,
        against=_others(network, goal, against, traffic, width=width, cycles=cycles),
    )


def _group_of(network: Network, request: Request) -> tuple[Network, NodeGroup]:
    """Network with its group, or with that which ``collectives=yes`` would lay."""
    if not network.collective_groups:
        keys = {} if request.operation is None else {"operations": request.operation}
        network = network.changed(collectives=True, **keys)
    groups = network.collective_groups
    if not 0 <= request.group < len(groups):
        many = f"0..{len(groups) - 1}" if len(groups) > 1 else "0"
        raise ConfigurationError(
            f"{network.name}: --group must be the place of a group, {many}, not {request.group}"
        )
    return network, groups[request.group]


def _ends(group: NodeGroup, request: Request) -> tuple[int, tuple[int, ...]]:
    """Root, and the members that receive what it sends."""
    members = group.tree.members
    root = members[0] if request.root is None else request.root
    for option, nodes in (("--root", (root,)), ("--to", request.receivers or ())):
        for node in nodes:
            if node not in members:
                raise ConfigurationError(
                    f"collective: {option} must name members of the group {group.name}, not node "
                    f"{node}"
                )
    if request.root is not None and request.kind in (Collective.BARRIER, Collective.ALL_REDUCE):
        raise ConfigurationError(
            f"collective: --root must be used with a collective that has a root, not with "
            f"{request.kind.name.lower()}"
        )
    if request.receivers is None:
        to = members if request.kind != Collective.MULTICAST else _without(members, root)
        return root, to
    if request.kind != Collective.MULTICAST:
        raise ConfigurationError(
            f"collective: --to must be used with multicast, not with {request.kind.name.lower()}"
        )
    return root, tuple(sorted(request.receivers))


def _without(members: Sequence[int], root: int) -> tuple[int, ...]:
    return tuple(node for node in members if node != root) or (root,)


def _operation(group: NodeGroup, request: Request) -> int:
    """Place of the operation."""
    if request.operation is None:
        return 0
    if request.kind not in REDUCING:
        raise ConfigurationError(
            f"collective: --operation must be used with all_reduce or reduce, not with "
            f"{request.kind.name.lower()}"
        )
    words = [operation_word(one) for one in group.form.operations]
    if request.operation not in words:
        raise ConfigurationError(not_one_of("collective: --operation", words, request.operation))
    return words.index(request.operation)


def _round(
    group: NodeGroup, request: Request, root: int, receivers: tuple[int, ...], operation: int
) -> Round:
    tree, form = group.tree, group.form
    length = 1 if request.kind == Collective.BARRIER else request.length
    rng = np.random.default_rng([request.seed, 7])
    vectors = {node: random_beats(rng, length, form.width) for node in tree.members}
    return make_round(
        tree, form, request.kind, vectors, root=root, operation=operation, receivers=receivers
    )


def _run(
    network: Network, run: ports.Group, pauses: ports.Pauses, engine: str
) -> tuple[ports.Log, int | None]:
    """Log of the engine that is judged, and in how many rows two engines differ."""
    model = None if engine == "rtl" else ports.run_model([run], pauses)
    if engine == "model":
        assert model is not None
        return model, None
    from .verilog import run_network

    log = run_network(network, [run], pauses)
    return log, None if model is None else len(ports.differences(model, log))


def _busiest(run: ports.Group, log: ports.Log, *, scatters: bool) -> tuple[int, float]:
    """Beats of the member that receives the most, or sends, and its beats per cycle."""
    cycles: dict[int, list[int]] = {}
    for row in log.rows:
        if row.what == ports.SENT if scatters else row.what == ports.ANSWER and row.taken:
            cycles.setdefault(row.port, []).append(row.cycle)
    busiest = max(cycles.values(), key=len)
    return len(busiest), len(busiest) / (busiest[-1] - busiest[0] + 1)


class Means(NamedTuple):
    """Other means to carry out a collective.

    Members
    -------
    require : callable
        Refuses a network that does not have them, or a collective that they do not do.
    cycles : callable
        Cycles of each algorithm.
    """

    require: Callable[[Network, unicasts.Goal], None]
    cycles: Callable[[Network, unicasts.Goal, Traffic], dict[str, int]]


def _require_senders(network: Network, goal: unicasts.Goal) -> None:
    unicasts.require_senders(network, goal.members)


def _by_unicasts(network: Network, goal: unicasts.Goal, traffic: Traffic) -> dict[str, int]:
    return {
        algorithm: unicasts.unicast_cycles(network, goal, algorithm, traffic)
        for algorithm in unicasts.ALGORITHMS[goal.kind]
    }


MEANS: dict[str, Means] = {
    "unicast": Means(_require_senders, _by_unicasts),
    "relay": Means(require_relay, relay_cycles),
    "broadcast": Means(require_broadcast, broadcast_cycles),
}
"""Other means: packets of the data network; relay multicasts; broadcasts in its routers."""


def _others(
    network: Network,
    goal: unicasts.Goal,
    against: Sequence[str],
    traffic: Traffic,
    *,
    width: int,
    cycles: int,
) -> list[Other]:
    """Each of the other means, the fastest algorithm first."""
    beats = -(-goal.length * width // network.hardware.data_width)  # as many bytes
    goal = goal._replace(length=beats)
    return [
        Other(means=means, algorithm=name, cycles=taken, speedup=round(taken / cycles, 2))
        for means in against
        for name, taken in sorted(
            MEANS[means].cycles(network, goal, traffic).items(), key=lambda each: each[1]
        )
    ]
