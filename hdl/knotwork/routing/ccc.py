"""Routings of the cube-connected cycles."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ..parameters import Choice, parameter
from ..topology import LOCAL, CubeConnectedCycles
from ..topology.ccc import BACKWARD, FORWARD, LATERAL
from .base import Routing
from .batch import FIRST, SECOND, SORT, BatchOptions, BatchRouting, Step, exchange
from .compiled.compilable import compilable
from .options import RoutingOptions
from .rules import Rule
from .scheduling.linear_complement import JumpTable


class ByPlace(Routing):
    """Routing whose routers differ by their place on the cycle only."""

    topology: CubeConnectedCycles

    @cached_property
    def router_groups(self) -> np.ndarray:
        """Places on the cycle."""
        return np.arange(self.topology.routers) % self.topology.cycle_length

    def group_name(self, router: int) -> str:
        """Place on the cycle."""
        return f"place{self.topology.cycle_position(router)}"


class LineSweepNumbers(NamedTuple):
    """Integers that `line_sweeps` reads, in this order.

    Members
    -------
    cycle_bits : int
        Bits of a place on a cycle.
    seam : int
        Place at which the line begins.
    last_class : int
        Last virtual-channel class.
    """

    cycle_bits: int
    seam: int
    last_class: int


AT = LineSweepNumbers(*range(len(LineSweepNumbers._fields)))
"""Place of each among the rule's parameters."""


@compilable
def line_sweeps(parameters, router, port, channel_class, destination):
    """Forward over the lateral links, backward over those left, then the shorter way round."""
    cycle_bits, seam = parameters[AT.cycle_bits], parameters[AT.seam]
    last_class = parameters[AT.last_class]
    length = 1 << cycle_bits
    last = length - 1
    here, there = (router - seam) & last, (destination - seam) & last
    # The differing dimensions along the line: bit z is the lateral link at position z.
    wanted = (router ^ destination) >> cycle_bits
    wanted = (wanted >> seam | wanted << (length - seam)) & ((1 << length) - 1)
    ahead, behind = wanted >> (here + 1), wanted & ((1 << here) - 1)
    if wanted >> here & 1:
        return LATERAL, last_class if port == FORWARD else 0
    swept = port == LATERAL and channel_class == 1  # by links backward
    if port == BACKWARD:
        forward = ahead != 0 or here != there
    elif port == FORWARD:
        forward = False
    elif ahead or behind:
        forward = ahead != 0
    else:
        forward = is_forward_shorter(length, here, there) and (here < there or not swept)
    if forward:
        if swept or here == last:
            return FORWARD, last_class
        return FORWARD, channel_class
    if behind or here != there:
        if here == 0:
            return BACKWARD, last_class
        return BACKWARD, channel_class if port == FORWARD else 0
    return LOCAL, 0


@compilable
def is_forward_shorter(length, here, there):
    """Whether forward is the shorter way; of two equal ones, the one that avoids the seam."""
    ways = (there - here) & (length - 1)
    return 0 < 2 * ways < length or (2 * ways == length and here < there)


class Unicast(ByPlace):
    """Over the lateral links on a line: forward, then backward; then the shorter way round.

    Every cycle is cut at the same seam into a line, in the middle of the places without a lateral
    link where there are any. A packet goes forward to the last lateral link that it has to cross
    and crosses all that it meets; then backward to the first one left; then the shorter way to its
    place. Only this last part passes the seam.

    Packets going forward and the lateral links that they cross are in class 0, and so are packets
    going backward, with the lateral links that they cross in class 1. Those that passed the seam
    are in class 1, and those that go forward again. So every turn is to a later entry of this list:
    forward and lateral in class 0, by position; backward in class 0 and lateral in class 1, by
    falling position; the seam; forward in class 1 by position, backward in class 1 by falling
    position.

    A packet that crossed lateral links backward cannot pass the seam forward: there it takes the
    way backward, however long.
    """

    name: ClassVar[str] = "unicast"

    def needed_virtual_channels(self) -> int:
        """Two."""
        return 2

    @property
    def seam(self) -> int:
        """Place with which the line begins."""
        length, lateral = self.topology.cycle_length, self.topology.cube_bits
        return (lateral + length + 1) // 2 % length

    @property
    def rule(self) -> Rule:
        """See `line_sweeps`."""
        return line_sweeps

    @property
    def parameters(self) -> np.ndarray:
        """See `LineSweepNumbers`."""
        numbers = LineSweepNumbers(self.topology.cycle_bits, self.seam, self.classes - 1)
        return np.array(numbers, np.int64)

    @property
    def representatives(self) -> np.ndarray:
        """One cycle: the rule reads cycles' numbers by their XOR only."""
        return self.topology.representatives

    def rank(self) -> np.ndarray | None:
        """Number of a channel in the list of the class's docstring; none with one class."""
        if self.classes == 1:
            return None
        length = self.topology.cycle_length
        line = (np.arange(length) - self.seam) % length
        back = length - 1 - line
        rank = np.zeros((length, len(self.topology.ports), 2), np.int64)
        rank[:, LATERAL, 0], rank[:, FORWARD, 0] = 2 * line, 2 * line + 1
        rank[:, LATERAL, 1], rank[:, BACKWARD, 0] = 2 * (length + back), 2 * (length + back) + 1
        # Over the seam a channel is the first of its kind in class 1.
        rank[:, FORWARD, 1] = 4 * length + (line + 1) % length
        rank[:, BACKWARD, 1] = 4 * length + (back + 1) % length
        return np.tile(rank, (self.topology.routers // length, 1, 1))


@dataclass(frozen=True, kw_only=True)
class LC2Options(BatchOptions):
    """Keys of LC2.

    Parameters
    ----------
    control : str
        What a router keeps of the jump table: ``"shift"``, all of it in shift registers, as the
        paper has it, or ``"entry"``, that of its own dimension alone.
    """

    control: str = parameter(
        Choice(("shift", "entry")),
        help="a router's jump table: shift registers, or only the entry of its own dimension",
        default="shift",
    )


class LC2(ByPlace, BatchRouting):
    """LC2: linear-complement permutations in 5 * 2^y steps without a conflict.

    Three periods, with L = 2^y. In the first 2 L steps, all packets go backward round their cycle
    twice, and cross lateral links on the way as jump bits and buddies say. In the next L steps,
    every cycle sorts its packets by their destination's place, with odd-even transposition. In the
    last 2 L steps, all packets go forward, and cross lateral links to their destination's cycle. In
    a step of the first and third periods a packet may cross a lateral link and then a link of the
    cycle.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    section 3.3, whose second period is one step too short: sorting L packets by odd-even
    transposition takes L steps.
    """

    name: ClassVar[str] = "lc2"
    options_class: ClassVar[type[RoutingOptions]] = LC2Options
    options: LC2Options  # pyright: ignore[reportIncompatibleVariableOverride]
    distinct_groups: ClassVar[bool] = True

    @property
    def steps(self) -> int:
        """5 L."""
        return 5 * self.topology.cycle_length

    @property
    def naive_link_steps(self) -> int:
        """2 L for the lateral links while packets go round twice, 2^k for dimension k of a cycle.

        In dimension k of a cycle each packet goes to the other end as far as 2^k links away: those
        of one end forward, those of the other backward.
        """
        return 3 * self.topology.cycle_length - 1

    @property
    def shift_steps(self) -> range:
        """Steps in which a node's shift registers advance unless its lateral link has its turn.

        Of these L + n steps every node has its turn in L. None without ``control=shift``.
        """
        if self.options.control != "shift":
            return range(0)
        topology = self.topology
        begin = topology.cycle_length - topology.cube_bits + 1
        return range(begin, begin + topology.cycle_length + topology.n)

    def dimension_link(self, dimension: int, node: int) -> tuple[int, int] | None:
        """The lateral link of the node's cycle, to which packets go round; or one of the cycle."""
        length, place = self.topology.cycle_length, dimension - self.topology.cycle_bits
        if place >= 0:
            return node - node % length + place, LATERAL
        return super().dimension_link(dimension, node)

    def step(self, number: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Step of the period that `number` is in."""
        length = self.topology.cycle_length
        if number < 2 * length:
            return self._backward(number, destinations, table)
        if number < 3 * length:
            return self._sort(number - 2 * length, destinations)
        return self._forward(number - 3 * length, destinations)

    def _backward(self, t: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Lateral exchange by the table, where it is the node's turn; then a place backward."""
        node, place, length = *self._nodes, self.topology.cycle_length
        active = (length <= t + place) & (t + place < 2 * length) & self._lateral
        dimension = np.where(active, self.topology.cycle_bits + place, 0)
        requests = active & table.requests(dimension, destinations)
        held, flags = self._exchange(requests, active, FIRST)
        ahead = node - place + (place + 1) % length
        return Step(held[..., ahead], ahead, flags)

    def _sort(self, p: int, destinations: np.ndarray) -> Step:
        """Odd-even transposition by the destinations' places; even places begin with the next."""
        node, place, length = *self._nodes, self.topology.cycle_length
        partner = node + np.where((place + p) % 2 == 0, 1, -1)
        partner = np.where(node // length == partner // length, partner, node)
        wanted = destinations % length
        beyond = wanted - wanted[..., partner]  # of the own packet, past the partner's
        swap = np.where(partner > node, beyond, -beyond) > 0
        taken = np.where(swap, partner, node)
        return Step(taken, taken, np.zeros(destinations.shape, np.uint8))

    def _forward(self, q: int, destinations: np.ndarray) -> Step:
        """Lateral exchange by the destination, where it is the node's turn; a place forward."""
        node, place, length = *self._nodes, self.topology.cycle_length
        active = (q >= place) & (q - place < length) & self._lateral
        requests = active & ((destinations ^ node) >> (self.topology.cycle_bits + place) & 1 == 1)
        held, flags = self._exchange(requests, active, SECOND)
        if q == 0:
            flags |= (destinations % length != place).astype(np.uint8) * np.uint8(SORT)
        behind = node - place + (place - 1) % length
        return Step(held[..., behind], behind, flags)

    @cached_property
    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Every node, and its place."""
        node = np.arange(self.topology.nodes)
        return node, node % self.topology.cycle_length

    @cached_property
    def _lateral(self) -> np.ndarray:
        """Whether each node has a lateral link, bool."""
        return self._nodes[1] < self.topology.cube_bits

    def _exchange(
        self, requests: np.ndarray, active: np.ndarray, flag: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Exchange over the lateral links of active nodes."""
        node, place = self._nodes
        return exchange(
            requests, np.where(active, node ^ self.topology.cycle_length << place, node), flag
        )


ROUTINGS = (Unicast, LC2)
