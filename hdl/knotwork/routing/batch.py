"""Routings that move one packet of every node at once, step by step; no packet ever waits."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Choice, parameter
from ..topology import Topology
from ..wording import plural
from .options import RoutingOptions
from .rules import Rule, Turn
from .scheduling.linear_complement import (
    ORDERS,
    JumpTable,
    LinearComplement,
    NaiveRun,
    batches_of,
    bit_order,
    bit_permutation_table,
    buddy_jump,
)
from .scheduling.schedule import Frame, PacketMove, Schedule, SchedulingRouting, Transfer

WRONG, FIRST, SORT, SECOND = 1, 2, 4, 8
"""Flags of a node after a batch: its packet is not for it; its exchanges of the first and of the
second time were not what its neighbour requested (F1 and F3); a packet was not sorted (F2)."""

FLAG_NAMES = {WRONG: "wrong", FIRST: "F1", SORT: "F2", SECOND: "F3"}


class Step(NamedTuple):
    """Movement of all packets in a step.

    Members
    -------
    taken : ndarray
        Node whose packet each node has afterwards, int; a permutation.
    between : ndarray
        Node in the middle, where the packet crosses two links; else the node that it came from.
    flags : ndarray
        Flags that are raised in this step, uint8.
    """

    taken: np.ndarray
    between: np.ndarray
    flags: np.ndarray


def exchange(requests: np.ndarray, partner: np.ndarray, flag: int) -> tuple[np.ndarray, np.ndarray]:
    """Node whose packet each has after an exchange, made only where both ends request it; flags.

    Parameters
    ----------
    requests : ndarray
        Whether the packet of each node requests it, bool of shape (..., nodes).
    partner : ndarray
        Node at the other end, shape (nodes,); the node itself where there is none.
    flag : int
        Flag of both ends where only one requests it.
    """
    other = requests[..., partner]
    taken = np.where(requests & other, partner, np.arange(len(partner)))
    return taken, (requests != other).astype(np.uint8) * np.uint8(flag)


def table_of(destinations: np.ndarray) -> JumpTable:
    """Jump table of a permutation; one without exchanges if it is not linear-complement.

    The table without exchanges routes a few permutations that are not linear-complement.
    """
    linear = LinearComplement.of(destinations)
    if linear is None:
        return JumpTable.naive(len(destinations).bit_length() - 1)
    return buddy_jump(linear.matrix)[0]


@dataclass(frozen=True, kw_only=True)
class BatchOptions(RoutingOptions):
    """Keys of a routing of batches.

    Parameters
    ----------
    sequencer : str
        Who counts the steps of a batch: ``"central"``, the controller for all routers, or
        ``"distributed"``, each router for itself, from the controller's start on.
    """

    sequencer: str = parameter(
        Choice(("central", "distributed")),
        help="what counts the steps: the controller, or every router",
        default="central",
    )

    @property
    def is_distributed(self) -> bool:
        """Whether every router counts the steps."""
        return self.sequencer == "distributed"


class BatchRouting(SchedulingRouting):
    """Routing of a batch: every node gives one packet, and every node gets one.

    A subclass gives `steps` and `step`, which moves the packets by their destinations and a table
    of jump bits and buddies. It works on arrays whose last axis is the nodes; axes before it are
    independent batches.
    """

    options_class: ClassVar[type[RoutingOptions]] = BatchOptions
    options: BatchOptions
    router_class: ClassVar[str] = "batch"
    is_adaptable: ClassVar[bool] = False
    arrivals: ClassVar[str] = "batches"
    flag_width: ClassVar[int] = 4
    settled: ClassVar[str | None] = (
        "a batch moves in steps of fixed number, in which every node gives one packet and takes "
        "one; none waits for another"
    )

    @property
    def rule(self) -> Rule:
        """There is none: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be given a permutation "
            f"(knotwork schedule): the path of a packet depends on all others"
        )

    def class_turns(self, router: int) -> set[Turn]:
        """None: a packet goes where its step sends it."""
        del router
        return set()

    @property
    @abstractmethod
    def steps(self) -> int:
        """Steps of a batch."""

    @property
    def naive_link_steps(self) -> int:
        """Steps of links in which all dimensions are taken in turn, ascending or descending."""
        return self.topology.address_width

    @abstractmethod
    def step(self, number: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Movement in a step.

        Parameters
        ----------
        number : int
            0..steps - 1.
        destinations : ndarray
            Destination of the packet that each node has, int64 of shape (..., nodes).
        table : JumpTable
            Jump bits and buddies.
        """

    def run(self, destinations: np.ndarray, table: JumpTable) -> Iterator[tuple[np.ndarray, Step]]:
        """Each step of a batch, and the source of the packet that each node has after it."""
        held = np.broadcast_to(np.arange(self.topology.nodes), destinations.shape)
        for number in range(self.steps):
            wanted = np.take_along_axis(destinations, held, -1)
            step = self.step(number, wanted, table)
            held = np.take_along_axis(held, np.broadcast_to(step.taken, held.shape), -1)
            yield held, step

    def flags(self, destinations: np.ndarray, table: JumpTable) -> np.ndarray:
        """Flags of each node after a batch, uint8; all 0 where every packet has arrived."""
        flags, sources = np.zeros(destinations.shape, np.uint8), destinations
        for held, step in self.run(destinations, table):
            flags |= step.flags
            sources = held
        wrong = np.take_along_axis(destinations, sources, -1) != np.arange(self.topology.nodes)
        return flags | wrong.astype(np.uint8) * np.uint8(WRONG)

    def transfers(self, destinations: np.ndarray, table: JumpTable) -> Iterator[Transfer]:
        """Path of each node's packet in a batch."""
        nodes = np.arange(self.topology.nodes, dtype=np.int32)
        places = [nodes]  # of the packets by their source, after every link
        for held, step in self.run(destinations, table):
            for reached in (step.between, nodes):
                place = np.empty_like(nodes)
                place[held] = reached
                places.append(place)
        for source, way in enumerate(np.stack(places, axis=1)):
            moved = np.diff(way, prepend=-1) != 0
            yield Transfer(source, int(destinations[source]), way[moved].tolist())

    def dimension_link(self, dimension: int, node: int) -> tuple[int, int] | None:
        """Router and port from which a node's packets cross a dimension, in naive routing.

        None where more than one link leads to the node at the other end.
        """
        ports = np.nonzero(self.topology.neighbours[node] == node ^ 1 << dimension)[0]
        return (node, int(ports[0])) if len(ports) else None

    def random_permutation(self, rng: "np.random.Generator") -> np.ndarray:
        """Linear-complement permutation: others have no table."""
        return LinearComplement.random(self.topology.address_width, rng).destinations

    def schedule(self, destinations: np.ndarray) -> Schedule:
        """Batch that carries out a permutation. The batch is run to see whether it does.

        A linear-complement permutation has its own table. Any other one is run with the
        table without exchanges in the first part.
        """
        table, linear = table_of(destinations), LinearComplement.of(destinations)
        flags = self.flags(destinations, table)
        facts = {
            **_table_facts(table, linear),
            **_kind_facts(linear),
            **{f"naive_{order}": NaiveRun(destinations, order).is_free for order in ORDERS},
            "flags": _raised(flags),
        }
        return Schedule(
            rounds=[self.transfers(destinations, table)],
            steps=self.steps,
            conflict_free=not flags.any(),
            facts=facts,
        )

    def schedule_messages(self, sources: np.ndarray, destinations: np.ndarray) -> Schedule:
        """Batches that carry out any messages, each with a table of its own.

        In a batch, the nodes without a message send to the nodes that its permutation names. All
        batches are run.
        """
        rounds, tables = [], []
        flags = np.zeros(self.topology.nodes, np.uint8)
        for batch in batches_of(sources, destinations, self.topology.address_width):
            everywhere = batch.permutation.destinations
            table = buddy_jump(batch.permutation.matrix)[0]
            flags = flags | self.flags(everywhere, table)
            own = set(sources[batch.messages].tolist())
            transfers = self.transfers(everywhere, table)
            rounds.append([each for each in transfers if each.source in own])
            tables.append(_table_facts(table, batch.permutation))
        most = max(int(np.bincount(ends).max(initial=0)) for ends in (sources, destinations))
        facts = {"lower_bound": most, "batches": tables, "flags": _raised(flags)}
        return Schedule(rounds, len(rounds) * self.steps, not flags.any(), facts)

    def frames(self, sources: np.ndarray, destinations: np.ndarray) -> Iterator[Frame]:
        """Packets that move in each step of each batch."""
        nodes = np.arange(self.topology.nodes)
        everywhere, own = [destinations], [sources]
        if not (np.array_equal(sources, nodes) and np.array_equal(np.sort(destinations), nodes)):
            batches = batches_of(sources, destinations, self.topology.address_width)
            everywhere = [batch.permutation.destinations for batch in batches]
            own = [sources[batch.messages] for batch in batches]
        for batch, (wanted, own_sources) in enumerate(zip(everywhere, own, strict=True), start=1):
            of = f"batch {batch} of {len(own)}, " if len(own) > 1 else ""
            yield from _frames(self, wanted, own_sources, of)


def _frames(
    routing: BatchRouting, wanted: np.ndarray, own_sources: np.ndarray, of: str
) -> Iterator[Frame]:
    """Steps of a batch, of which only the packets of some sources count; `of` begins captions."""
    nodes = np.arange(len(wanted))
    for number, (after, step) in enumerate(routing.run(wanted, table_of(wanted)), start=1):
        steps = zip(after.tolist(), step.taken.tolist(), step.between.tolist(), strict=True)
        moves = [
            PacketMove(source, int(wanted[source]), hops, node)
            for node, (source, taken, between) in enumerate(steps)
            if source in own_sources and (hops := _hops(routing.topology, taken, between, node))
        ]
        arrived = nodes[(wanted[after] == nodes) & np.isin(after, own_sources)].tolist()
        caption = f"{of}step {number} of {routing.steps}: {plural(len(moves), 'packet')} moved"
        yield Frame(caption, moves, arrived)


def _hops(topology: Topology, first: int, between: int, last: int) -> list[tuple[int, int]]:
    """Routers that a packet leaves on its way from one over one to one, with the ports."""
    way = [first, *([between] if between not in (first, last) else []), last]
    moves = [(here, there) for here, there in pairwise(way) if here != there]
    return [(here, int(np.argmax(topology.neighbours[here] == there))) for here, there in moves]


def _table_facts(table: JumpTable, linear: LinearComplement | None) -> dict[str, Any]:
    """Table of a batch, and the permutation that it is for."""
    return {
        "jump": list(table.jump),
        "buddy": list(table.buddy),
        "matrix": linear and linear.rows,
        "complement": linear and f"{linear.complement:0{linear.n}b}",
    }


def _kind_facts(linear: LinearComplement | None) -> dict[str, Any]:
    """Whether a permutation is linear-complement; whether its matrix only permutes bits."""
    order = None if linear is None else bit_order(linear.matrix)
    closed = None if order is None else bit_permutation_table(order)
    return {
        "linear_complement": linear is not None,
        "bit_permutation": order,
        "closed_form": closed and {"jump": list(closed.jump), "buddy": list(closed.buddy)},
    }


def _raised(flags: np.ndarray) -> dict[str, int]:
    """Number of nodes with each flag."""
    return {name: int(np.sum(flags & flag > 0)) for flag, name in FLAG_NAMES.items()}
