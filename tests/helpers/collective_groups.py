"""Nodes that start the collectives of several groups in any order, and wait for all of them."""

import random
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from helpers.collectives import SUM, Answer, Rounds, drawn_rounds, form_of
from knotwork.routing.collectives import Collective, CollectiveTree
from knotwork_sim.model.collectives import Beat, CollectiveModel, Cycle

QUIET = 200
"""Cycles without a beat after which nothing will move any more: a tree holds far fewer."""


class HangError(Exception):
    """Nodes wait for each other for ever."""


class Port:
    """What a node still sends to a group, and what it must still get from it.

    Members
    -------
    beats : deque of Beat
        Beats that were started and not yet taken.
    due : deque of Answer
        Answers that must come; those to what others send may come before the node's own round.
    missing : int
        Answers without which its round is not over.
    """

    def __init__(self) -> None:
        self.beats: deque[Beat] = deque()
        self.due: deque[Answer] = deque()
        self.missing = 0
        self._received: list[Beat] = []

    @property
    def is_done(self) -> bool:
        """Whether the group's collective is over for this node."""
        return not self.beats and self.missing <= 0

    def receive(self, beat: Beat) -> None:
        """Take a beat of an answer, which must be the next that is due."""
        self._received.append(beat)
        if not beat.last:
            return
        header = beat.header
        data = [] if header.kind == Collective.BARRIER else [one.data for one in self._received]
        assert self.due, f"no answer is due, but came: {header}"
        assert Answer(header, data, beat.fault) == self.due.popleft()
        self._received = []
        self.missing -= 1


class Start(NamedTuple):
    """Collective of a group that a node will start, and the cycles that it lets pass before."""

    group: int
    gap: int


class Node:
    """Node that starts a collective of each of its groups in a drawn order, and waits for all.

    With `shares_port` all its groups' messages leave through one queue, in that order.

    Members
    -------
    round : int
        Rounds that it has begun.
    orders : set of tuple of int
        Orders in which it started its groups' collectives.
    """

    def __init__(self, ports: dict[int, Port], *, shares_port: bool) -> None:
        self.ports, self.round = ports, 0
        self.orders: set[tuple[int, ...]] = set()
        self._shares = shares_port
        self._starts: deque[Start] = deque()
        self._queue: deque[int] = deque()

    def begin(self, rounds: dict[int, Rounds], node: int, rng: random.Random) -> None:
        """Begin a round of collectives, of which it knows its messages and answers."""
        self.round += 1
        order = rng.sample([*self.ports], len(self.ports))
        self.orders.add(tuple(order))
        self._starts.extend(Start(group, rng.randrange(4)) for group in order)
        self._messages = {group: rounds[group].messages[node] for group in order}
        for group in order:
            self.ports[group].missing += len(rounds[group].answers[node])

    @property
    def is_done(self) -> bool:
        """Whether all collectives of its round are over."""
        return not self._starts and all(port.is_done for port in self.ports.values())

    def offers(self, group: int) -> bool:
        """Start what is due, and say whether a beat is offered to a group."""
        if self._shares and (not self._queue or self._queue[0] != group):
            return False
        return bool(self.ports[group].beats)

    def pass_cycle(self) -> None:
        """Come nearer to the next start, or start it."""
        if not self._starts:
            return
        group, gap = self._starts.popleft()
        if gap:
            self._starts.appendleft(Start(group, gap - 1))
            return
        beats = [beat for message in self._messages[group] for beat in message.beats()]
        self.ports[group].beats.extend(beats)
        self._queue.extend([group] * len(beats))

    def send(self, group: int) -> None:
        """Hand over the beat that is offered to a group."""
        self.ports[group].beats.popleft()
        if self._shares:
            self._queue.popleft()


class GroupCycle(NamedTuple):
    """What is offered to a group's tree in a cycle, who takes beats, and what the tree does."""

    beats: list[Beat | None]
    ready: list[bool]
    cycle: Cycle


class Interleaved:
    """Rounds of collectives of several groups, which every node starts in an order of its own.

    Parameters
    ----------
    trees : sequence of CollectiveTree
        Tree of each group.
    seed : int
        Seed of messages, orders and pauses.
    shares_port : bool
        Each node has one port for all its groups.
    stall : float
        Share of the cycles in which a node takes no beat.
    record : list of list of GroupCycle, optional
        Where each cycle of all groups is added.

    Members
    -------
    nodes : dict of int to Node
        Members of the groups.
    cycles : int
        Cycles so far.
    """

    def __init__(
        self,
        trees: Sequence[CollectiveTree],
        *,
        seed: int,
        shares_port: bool = False,
        stall: float = 0.2,
        record: list[list[GroupCycle]] | None = None,
    ) -> None:
        self._rng, self._stall = random.Random(seed), stall
        self._record = record
        self._trees = trees
        self._form = form_of(trees[0].topology, (SUM,))
        self._models = [CollectiveModel(tree, self._form) for tree in trees]
        nodes = sorted({node for tree in trees for node in tree.members})
        self.nodes = {
            node: Node(
                {group: Port() for group, tree in enumerate(trees) if node in tree.members},
                shares_port=shares_port,
            )
            for node in nodes
        }
        self._rounds: deque[dict[int, Rounds]] = deque()
        self._first = 1  # number of the first of those rounds
        self.cycles = self._quiet = 0

    def run(self, rounds: int) -> None:
        """Run so many rounds.

        Raises
        ------
        HangError
            No beat moves any more, though collectives are not over.
        """
        while True:
            self._begin(rounds)
            if all(node.round == rounds and node.is_done for node in self.nodes.values()):
                return
            self._step()

    def _begin(self, last: int) -> None:
        """Let each node that is done begin its next round."""
        for number, node in self.nodes.items():
            if node.is_done and node.round < last:
                while len(self._rounds) <= node.round + 1 - self._first:
                    self._rounds.append(self._drawn())
                node.begin(self._rounds[node.round + 1 - self._first], number, self._rng)
        slowest = min(node.round for node in self.nodes.values())
        while self._first < slowest:
            self._rounds.popleft()
            self._first += 1

    def _drawn(self) -> dict[int, Rounds]:
        """Collective of each group, of which all answers are due from now on."""
        drawn = {
            group: drawn_rounds(tree, self._form, self._rng, 1)
            for group, tree in enumerate(self._trees)
        }
        for group, one in drawn.items():
            for node, answers in one.answers.items():
                self.nodes[node].ports[group].due.extend(answers)
        return drawn

    def _step(self) -> None:
        """Pass a cycle of all trees."""
        moves = False
        done: list[GroupCycle] = []
        for node in self.nodes.values():
            node.pass_cycle()
        for group, (tree, model) in enumerate(zip(self._trees, self._models, strict=True)):
            nodes = [self.nodes[node] for node in tree.members]
            beats = [node.ports[group].beats[0] if node.offers(group) else None for node in nodes]
            ready = [self._rng.random() >= self._stall for _ in nodes]
            cycle = model.step(beats, ready)
            done.append(GroupCycle(beats, ready, cycle))
            assert not cycle.faults
            assert not any(cycle.refused)
            for node, taken, answer, takes in zip(
                nodes, cycle.taken, cycle.answers, ready, strict=True
            ):
                if taken:
                    node.send(group)
                if answer is not None and takes:
                    node.ports[group].receive(answer)
                moves |= taken or answer is not None
        if self._record is not None:
            self._record.append(done)
        self.cycles += 1
        self._quiet = 0 if moves else self._quiet + 1
        if self._quiet > QUIET:
            rounds = [node.round for node in self.nodes.values()]
            raise HangError(f"nodes wait for each other for ever, in round {min(rounds)}")
