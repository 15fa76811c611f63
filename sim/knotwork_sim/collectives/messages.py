"""Messages of a group's collectives, and what NumPy says members must receive."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from knotwork.routing.collectives import (
    REDUCING,
    ROOTED,
    Collective,
    CollectiveTree,
    MessageFormat,
)

from ..model.collectives import Beat, Header
from ..scoreboard.collectives import combined_in_tree


class Message(NamedTuple):
    """Message that a member sends: its header, its beats, and which of them end a part."""

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
    """Message that a member receives; a barrier's has no data."""

    header: Header
    data: list[int]


class Round(NamedTuple):
    """One collective: what members send, by their nodes, and what they must receive."""

    messages: dict[int, Message]
    answers: dict[int, Answer]


def random_beats(rng: np.random.Generator, count: int, width: int) -> list[int]:
    """Beats of so many bits, drawn."""
    data, size = rng.bytes(count * (width // 8)), width // 8
    return [
        int.from_bytes(data[first : first + size], "little") for first in range(0, len(data), size)
    ]


def make_round(
    tree: CollectiveTree,
    form: MessageFormat,
    kind: Collective,
    vectors: Mapping[int, list[int]],
    *,
    root: int,
    operation: int = 0,
    receivers: Sequence[int] = (),
) -> Round:
    """One collective of a group.

    Parameters
    ----------
    vectors : mapping of int to list of int
        Beats that each member sends, or that a scatter sends to it; of a broadcast or a multicast
        those of the root alone.
    root : int
        Member that sends or receives, where there is one.
    operation : int
        Place of the operation in `form.operations`, of a reduction.
    receivers : sequence of int
        Members that receive a multicast.
    """
    header = Header(kind, operation if kind in REDUCING else 0, root if kind in ROOTED else 0)
    if kind >= Collective.BROADCAST:
        return _sent_by_one(tree, form, header, vectors, root=root, receivers=receivers)
    messages = {node: Message(header, vectors[node]) for node in tree.members}
    if kind == Collective.BARRIER:
        return Round(messages, {node: Answer(header, []) for node in tree.members})
    if kind == Collective.GATHER:
        gathered = [beat for node in tree.order for beat in vectors[node]]
        return Round(messages, {root: Answer(header, gathered)})
    result = list(combined_in_tree(form.operations[operation], tree, vectors, form.width))
    to = (root,) if kind == Collective.REDUCE else tree.members
    return Round(messages, {node: Answer(header, result) for node in to})


def _sent_by_one(
    tree: CollectiveTree,
    form: MessageFormat,
    header: Header,
    vectors: Mapping[int, list[int]],
    *,
    root: int,
    receivers: Sequence[int],
) -> Round:
    answered = header._replace(root=root)
    if header.kind == Collective.SCATTER:
        ends = np.cumsum([len(vectors[node]) for node in tree.order]) - 1
        data = [beat for node in tree.order for beat in vectors[node]]
        message = Message(header, data, frozenset(ends.tolist()))
        answers = {node: Answer(answered, vectors[node]) for node in tree.members}
        return Round({root: message}, answers)
    to, mask = tree.members, []
    if header.kind == Collective.MULTICAST:
        to, bits = receivers, sum(1 << node for node in receivers)
        full = (1 << form.width) - 1
        mask = [bits >> form.width * beat & full for beat in range(form.mask_beats)]
    data = vectors[root]
    return Round(
        {root: Message(header, mask + data)}, {node: Answer(answered, data) for node in to}
    )


def draw_round(
    tree: CollectiveTree,
    form: MessageFormat,
    kind: Collective,
    lengths: tuple[int, int],
    rng: np.random.Generator,
) -> Round:
    """Collective with a root, an operation, receivers and beats that are drawn.

    Parameters
    ----------
    lengths : (int, int)
        Fewest and most beats of a vector.
    """
    members = np.array(tree.members)
    root, operation = int(rng.choice(members)), int(rng.integers(len(form.operations)))
    count = int(rng.integers(len(members) + 1)) if kind == Collective.MULTICAST else 0
    receivers = sorted(rng.choice(members, count, replace=False).tolist())
    least, most = (1, 1) if kind == Collective.BARRIER else lengths
    drawn = rng.integers(least, most + 1, len(members))
    if kind not in (Collective.GATHER, Collective.SCATTER):
        drawn[:] = drawn[0]
    vectors = {
        node: random_beats(rng, length, form.width)
        for node, length in zip(tree.members, drawn.tolist(), strict=True)
    }
    return make_round(
        tree, form, kind, vectors, root=root, operation=operation, receivers=receivers
    )
