"""Collectives for tests: messages of a group, drawn; what NumPy says comes of them."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from knotwork.routing.collectives import (
    Collective,
    CollectiveTree,
    MessageFormat,
    Operation,
    collective_tree,
)
from knotwork.topology import Topology
from knotwork_sim.model.collectives import Beat, CollectiveModel, Header
from knotwork_sim.scoreboard.collectives import combined_in_tree

SUM = Operation("sum", 32)
SEVERAL = (SUM, Operation("min", 16), Operation("max", 8, signed=True), Operation("xor", 32))


class Message(NamedTuple):
    """Message of a member: what it starts, its beats, and which of them end a part."""

    header: Header
    data: list[int]
    parts: frozenset[int] = frozenset()

    def beats(self) -> list[Beat]:
        """Beats at the member's port."""
        last = len(self.data) - 1
        return [
            Beat(word, number == last, number in self.parts, self.header)
            for number, word in enumerate(self.data)
        ]


class Answer(NamedTuple):
    """Message that a member gets."""

    header: Header
    data: list[int]
    fault: bool = False


class Rounds(NamedTuple):
    """Messages of each member, by its node, and the answers that it must get, in order."""

    messages: dict[int, list[Message]]
    answers: dict[int, list[Answer]]


def form_of(topology: Topology, operations: Sequence[Operation] = (SUM,)) -> MessageFormat:
    """Format with beats of 32 bits."""
    return MessageFormat(topology.nodes, 32, tuple(operations))


def drawn_rounds(
    tree: CollectiveTree, form: MessageFormat, rng: random.Random, count: int = 12
) -> Rounds:
    """Collectives that all members start in the same order.

    One sender's messages are followed by a barrier, so that their order is known to all.
    """
    rounds = Rounds({node: [] for node in tree.members}, {node: [] for node in tree.members})
    for _ in range(count):
        kind = Collective(rng.randrange(len(Collective)))
        _DRAWN[kind](tree, form, rng, rounds)
        if kind >= Collective.BROADCAST:
            _barrier(tree, form, rng, rounds)
    return rounds


def _beats(form: MessageFormat, rng: random.Random, count: int) -> list[int]:
    return [rng.getrandbits(form.width) for _ in range(count)]


def _barrier(tree, form, rng, rounds):
    header = Header(Collective.BARRIER)
    for node in tree.members:
        rounds.messages[node].append(Message(header, _beats(form, rng, rng.randint(1, 3))))
        rounds.answers[node].append(Answer(header, []))


def _reduction(tree, form, rng, rounds, *, to_all):
    place, root = rng.randrange(len(form.operations)), rng.choice(tree.members)
    kind = Collective.ALL_REDUCE if to_all else Collective.REDUCE
    length = rng.randint(1, 8)
    vectors = {node: _beats(form, rng, length) for node in tree.members}
    result = [*combined_in_tree(form.operations[place], tree, vectors, form.width)]
    for node, vector in vectors.items():
        rounds.messages[node].append(Message(Header(kind, place, root), vector))
        if to_all:
            rounds.answers[node].append(Answer(Header(kind, place, 0), result))
    if not to_all:
        rounds.answers[root].append(Answer(Header(kind, place, root), result))


def _gather(tree, form, rng, rounds):
    root = rng.choice(tree.members)
    vectors = {node: _beats(form, rng, rng.randint(1, 4)) for node in tree.members}
    for node, vector in vectors.items():
        rounds.messages[node].append(Message(Header(Collective.GATHER, 0, root), vector))
    result = [word for node in tree.order for word in vectors[node]]
    rounds.answers[root].append(Answer(Header(Collective.GATHER, 0, root), result))


def _broadcast(tree, form, rng, rounds):
    sender, data = rng.choice(tree.members), _beats(form, rng, rng.randint(1, 8))
    rounds.messages[sender].append(Message(Header(Collective.BROADCAST), data))
    for node in tree.members:
        rounds.answers[node].append(Answer(Header(Collective.BROADCAST, 0, sender), data))


def _multicast(tree, form, rng, rounds):
    sender, data = rng.choice(tree.members), _beats(form, rng, rng.randint(1, 6))
    receivers = rng.sample(tree.members, rng.randint(0, len(tree.members)))
    mask = sum(1 << node for node in receivers)
    full = (1 << form.width) - 1
    beats = [mask >> form.width * beat & full for beat in range(form.mask_beats)]
    rounds.messages[sender].append(Message(Header(Collective.MULTICAST), beats + data))
    for node in receivers:
        rounds.answers[node].append(Answer(Header(Collective.MULTICAST, 0, sender), data))


def _scatter(tree, form, rng, rounds):
    sender, header = rng.choice(tree.members), Header(Collective.SCATTER)
    data: list[int] = []
    parts = set()
    for node in tree.order:
        part = _beats(form, rng, rng.randint(1, 3))
        data += part
        parts.add(len(data) - 1)
        rounds.answers[node].append(Answer(header._replace(root=sender), part))
    rounds.messages[sender].append(Message(header, data, frozenset(parts)))


_DRAWN = {
    Collective.BARRIER: _barrier,
    Collective.ALL_REDUCE: lambda *drawn: _reduction(*drawn, to_all=True),
    Collective.REDUCE: lambda *drawn: _reduction(*drawn, to_all=False),
    Collective.GATHER: _gather,
    Collective.BROADCAST: _broadcast,
    Collective.MULTICAST: _multicast,
    Collective.SCATTER: _scatter,
}


def faulty_messages(
    form: MessageFormat,
    rng: random.Random,
    members: Sequence[int],
    count: int = 8,
    share: float = 0.15,
) -> dict[int, list[Message]]:
    """Messages of all members, some of another kind, root or length, or of no kind."""
    messages: dict[int, list[Message]] = {node: [] for node in members}
    for _ in range(count):
        kind, root, length = rng.randrange(4), rng.choice(members), rng.randint(1, 4)
        for node in members:
            wrong = [rng.random() < share for _ in range(4)]
            header = Header(
                rng.randrange(4) if wrong[0] else kind, 0, rng.choice(members) if wrong[1] else root
            )
            beats = rng.randint(1, 4) if wrong[2] else length
            messages[node].append(Message(header, _beats(form, rng, beats)))
            if wrong[3]:
                messages[node].append(Message(Header(7), [1, 2]))
    return messages


class Group:
    """Members of a group while they send and receive, with pauses and stalls.

    Parameters
    ----------
    messages : dict of int to list of Message
        Messages of each member, by its node.
    stall : float
        Share of the cycles in which a member neither offers a new beat nor takes one.
    """

    def __init__(
        self, messages: dict[int, list[Message]], rng: random.Random, stall: float
    ) -> None:
        self._waiting = [
            [beat for message in messages[node] for beat in message.beats()]
            for node in sorted(messages)
        ]
        self._offered = [False] * len(self._waiting)
        self._received: list[list[Beat]] = [[] for _ in self._waiting]
        self._nodes = sorted(messages)
        self._rng, self._stall = rng, stall
        self.answers: dict[int, list[Answer]] = {node: [] for node in messages}
        self.beats: list[Beat | None] = []
        self.ready: list[bool] = []
        self._held: list[Beat | None] = [None] * len(messages)

    def offer(self) -> None:
        """Draw what members offer and take in a cycle: `beats` and `ready`."""
        draw, stall = self._rng.random, self._stall
        self._offered = [
            bool(beats) and (was or draw() >= stall)
            for beats, was in zip(self._waiting, self._offered, strict=True)
        ]
        self.beats = [
            beats[0] if offers else None
            for beats, offers in zip(self._waiting, self._offered, strict=True)
        ]
        self.ready = [draw() >= stall for _ in self._waiting]

    def step(self, answers: Sequence[Beat | None], taken: Sequence[bool]) -> None:
        """End the cycle; a beat that is offered stays, as it is, until it is taken."""
        for held, answer in zip(self._held, answers, strict=True):
            assert held in (None, answer)
        self._held = [
            None if takes else answer for takes, answer in zip(self.ready, answers, strict=True)
        ]
        for member, node in enumerate(self._nodes):
            if taken[member]:
                self._waiting[member].pop(0)
                self._offered[member] = False
            beat = answers[member]
            if beat is not None and self.ready[member]:
                self._received[member].append(beat)
                if beat.last:
                    self._answer(member, node)

    def _answer(self, member: int, node: int) -> None:
        beats, self._received[member] = self._received[member], []
        header = beats[0].header
        assert all(beat.header == header for beat in beats)
        data = [] if header.kind == Collective.BARRIER else [beat.data for beat in beats]
        self.answers[node].append(Answer(header, data, beats[-1].fault))

    @property
    def has_sent(self) -> bool:
        """Whether all beats are taken."""
        return not any(self._waiting)


def run_model(
    tree: CollectiveTree,
    form: MessageFormat,
    messages: dict[int, list[Message]],
    *,
    seed: int = 1,
    stall: float = 0.0,
    most: int = 100_000,
) -> tuple[dict[int, list[Answer]], int]:
    """Answers of each member, and the cycles until nothing was left to answer for long."""
    model, group = CollectiveModel(tree, form), Group(messages, random.Random(seed), stall)
    last, cycle = 0, 0
    while cycle < last + 200 and cycle < most:
        group.offer()
        result = model.step(group.beats, group.ready)
        group.step(result.answers, result.taken)
        cycle += 1
        if any(result.taken) or any(answer is not None for answer in result.answers):
            last = cycle
    assert group.has_sent
    return group.answers, last


def tree_of(topology: Topology, members: Sequence[int] | None = None) -> CollectiveTree:
    """Tree of some nodes, of all if not given."""
    return collective_tree(topology, range(topology.nodes) if members is None else members)


def same_messages(
    tree: CollectiveTree, header: Header, data: list[int]
) -> dict[int, list[Message]]:
    """One message of each member, the same."""
    return {node: [Message(header, data)] for node in tree.members}


FAULTS = {
    "a branch that is not waited for": (
        "starts | (combines & i_0_valid & i_1_valid)",
        "starts | (combines & i_0_valid)",
        "collective_merge",
    ),
    "a flit that a branch gets twice": (
        "(owed & ~{o_1_ready, o_0_ready})",
        "owed",
        "collective_spread_2way",
    ),
    "a mask that is not read": (
        "named = aimed | {",
        "named = aimed & {",
        "collective_spread_2way",
    ),
    "a part that is another's": (
        "(part == previous)",
        "(part == (previous ^ 3'b001))",
        "collective_receiver",
    ),
    "a sender whose name is lost": (
        ": shows == 2'b11 ? node",
        ": shows == 2'b11 ? 3'b000",
        "collective_sender",
    ),
}
"""Changes of the Verilog of a tree on a mesh of 3 x 2, as `faults.changing` takes them."""
