"""Scoreboard of a group's collectives: what each member must receive, by NumPy, and what is wrong.

It knows neither the tree nor its golden model, but for the order in which members' parts stand.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from knotwork.routing.collectives import (
    REDUCING,
    ROOTED,
    Collective,
    CollectiveTree,
    Operation,
)
from knotwork.routing.messages import Answer, CollectiveMessages, ReceivedBeat, SentBeat

from .mismatch import Mismatch, listed

_REDUCTIONS: dict[str, np.ufunc] = {
    "sum": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def combined(operation: Operation, vectors: Sequence[Sequence[int]], width: int) -> tuple[int, ...]:
    """Vectors of beats combined by NumPy, element by element.

    Parameters
    ----------
    operation : Operation
        Its elements have the bits of one of NumPy's integers.
    vectors : sequence of sequence of int
        Beats of each member, of each as many.
    width : int
        Bits of a beat.
    """
    return _beats(
        reduce(_pair(operation), (_elements(operation, one, width) for one in vectors)), width
    )


def combined_in_tree(
    operation: Operation, tree: CollectiveTree, vectors: Mapping[int, Sequence[int]], width: int
) -> tuple[int, ...]:
    """The same for an operation whose result depends on the order: that of the tree's routers.

    Parameters
    ----------
    vectors : mapping of int to sequence of int
        Beats of each member, by its node.
    """
    elements = {node: _elements(operation, one, width) for node, one in vectors.items()}
    return _beats(tree.combined(_pair(operation), elements), width)


def _pair(operation: Operation) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """What makes one array of elements of two."""
    user_defined, bits = operation.user_defined, operation.element_width
    if user_defined is None:
        return _REDUCTIONS[operation.name]

    def combine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        pairs = zip(one.tolist(), other.tolist(), strict=True)
        return np.array([user_defined.combine(*pair, bits) for pair in pairs], one.dtype)

    return combine


def _elements(operation: Operation, vector: Sequence[int], width: int) -> np.ndarray:
    kind = f"<{'i' if operation.signed else 'u'}{operation.element_width // 8}"
    return np.frombuffer(b"".join(beat.to_bytes(width // 8, "little") for beat in vector), kind)


def _beats(elements: np.ndarray, width: int) -> tuple[int, ...]:
    data, size = elements.tobytes(), width // 8
    return tuple(
        int.from_bytes(data[first : first + size], "little") for first in range(0, len(data), size)
    )


class Message(NamedTuple):
    """Message that a member sends.

    Members
    -------
    number : int
        Its place among all messages of the group.
    sender : int
        Node.
    kind : Collective
        What it starts.
    operation, root : int
        Of a reduction the operation's place; the root that it names. 0 where it has none.
    parts : tuple of tuple of int
        Beats that follow a mask; of a scatter each member's.
    receivers : frozenset of int
        Members that it is for, if one node sends it.
    is_short : bool
        A multicast that ends within its mask.
    """

    number: int
    sender: int
    kind: Collective
    operation: int
    root: int
    parts: tuple[tuple[int, ...], ...]
    receivers: frozenset[int] = frozenset()
    is_short: bool = False

    @property
    def data(self) -> tuple[int, ...]:
        """Beats of all parts."""
        return tuple(value for part in self.parts for value in part)


class Due(NamedTuple):
    """What a member must receive.

    Members
    -------
    number : int
        Of its message; of one that all send, the last one's.
    answer : Answer or None
        The answer; None if only its mark matters, as where messages differ.
    fault : bool
        Whether it is marked.
    """

    number: int
    answer: Answer | None
    fault: bool = False


@dataclass
class _Round:
    """A collective that all members start: their messages so far, and who has offered one."""

    messages: dict[int, Message] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)


class CollectiveScoreboard:
    """What the members of a group must receive, and what they have.

    Parameters
    ----------
    messages : CollectiveMessages
        Format of the messages, and the tree's order.
    name : str
        The network's and the group's, for messages.
    Members
    -------
    received : int
        Answers that were due and have come.
    """

    def __init__(self, messages: CollectiveMessages, name: str) -> None:
        self._messages, self.name = messages, name
        self._members = sorted(messages.order)
        self._count = 0
        self._sent: dict[int, list[Message]] = {node: [] for node in self._members}
        self._rounds: list[_Round] = []
        # Messages that each has begun to offer; rounds in which it has sent, and has begun to.
        self._begun = dict.fromkeys(self._members, 0)
        self._joined = dict.fromkeys(self._members, 0)
        self._entered = dict.fromkeys(self._members, 0)
        self._of_all: dict[int, deque[tuple[int, Due]]] = {n: deque() for n in self._members}
        self._of_one: dict[tuple[int, int], deque[Due]] = defaultdict(deque)
        self._seen: dict[int, list[int]] = {node: [] for node in self._members}
        self._refusals = dict.fromkeys(self._members, 0)
        self._reports = 0  # of messages that differ
        self._pending = 0  # answers and refusals that are due
        self._open = 0  # rounds in which not all have sent
        self.received = 0

    @property
    def sent(self) -> int:
        """Messages that were sent, but for those that must be refused."""
        return self._count

    @property
    def is_complete(self) -> bool:
        """Whether nothing is due any more."""
        return not (self._pending or self._open)

    def send(self, node: int, beats: Sequence[SentBeat]) -> None:
        """Expect what must become of a message of a member."""
        message = self._read(node, beats)
        if message is None:
            self._refusals[node] += 1
            self._pending += 1
            return
        self._count += 1
        self._sent[node].append(message)
        if message.kind < Collective.BROADCAST:
            self._join(message)
            return
        for receiver, due in self._from_one(message).items():
            self._of_one[node, receiver].append(due)
            self._pending += 1

    def begin(self, node: int) -> None:
        """Note that a member has offered the first beat of its next message, not a refused one."""
        message = self._sent[node][self._begun[node]]
        self._begun[node] += 1
        if message.kind < Collective.BROADCAST:
            self._rounds[self._entered[node]].begun.add(node)
            self._entered[node] += 1

    def is_refused(self, beat: SentBeat) -> bool:
        """Whether a message must be refused that begins with this beat."""
        user = self._messages.user_field
        kind, operation = user(beat.tuser, "kind"), user(beat.tuser, "operation")
        return (
            kind > max(Collective)
            or (kind in REDUCING and operation >= len(self._messages.operations))
            or (kind in ROOTED and beat.tdest not in self._members)
        )

    def refuse(self, node: int, cycle: int) -> None:
        """Note that a message of a member was refused.

        Raises
        ------
        Mismatch
            It has sent none that must be.
        """
        if not self._refusals[node]:
            raise self._wrong("refused", f"no message of node {node} must be refused", node, cycle)
        self._refusals[node] -= 1
        self._pending -= 1

    def differ(self, node: int, bits: int, cycle: int) -> None:
        """Note that a member's message is reported to differ from its group's.

        Raises
        ------
        Mismatch
            All members' messages are alike.
        """
        self._reports += 1
        if any(self._differs(one) for one in self._rounds if node in one.messages):
            return
        raise self._wrong(
            "fault", f"no message of node {node} differs, as bits {bits:03b} report", node, cycle
        )

    def receive(self, node: int, beats: Sequence[ReceivedBeat], cycle: int) -> Answer:
        """Note an answer that a member has received.

        Raises
        ------
        Mismatch
            It is not what must come.
        """
        try:
            answer = self._messages.decode(beats)
        except (LookupError, ValueError):
            user = f"{beats[0].tuser:#x}"
            raise self._wrong(
                "unknown", f"an answer at node {node} must be of a kind, not {user}", node, cycle
            ) from None
        due = self._due(node, answer, cycle)
        if answer.fault != due.fault:
            must = "must" if due.fault else "must not"
            raise self._wrong(
                "fault",
                f"an answer at node {node} {must} be marked",
                node,
                cycle,
                answer=answer,
                due=due,
            )
        if due.answer is not None and answer != due.answer:
            raise self._wrong(
                "changed",
                f"an answer at node {node} must have what its collective gives",
                node,
                cycle,
                answer=answer,
                due=due,
            )
        self._seen[node].append(due.number)
        self.received += 1
        self._pending -= 1
        return answer

    def finish(self, cycle: int | None = None) -> None:
        """Check the end: nothing is missing, and all members have one order.

        Raises
        ------
        Mismatch
            Something is missing, or two members have received two answers in different orders.
        """
        for node in self._members:
            if self._refusals[node]:
                raise self._wrong(
                    "lost", f"a message of node {node} must be refused, and was not", node, cycle
                )
            for due in [
                *(due for _, due in self._of_all[node]),
                *(due for sender in self._members for due in self._of_one[sender, node]),
            ]:
                raise self._wrong(
                    "lost", f"an answer at node {node} is missing", node, cycle, due=due
                )
        for one in self._rounds:
            late = [node for node in self._members if node not in one.messages]
            if late:
                raise self._wrong(
                    "open",
                    f"a collective must be started by all members, and is not by nodes "
                    f"{listed(map(str, late))}",
                    late[0],
                    cycle,
                )
        if self._reports < sum(map(self._differs, self._rounds)):
            raise self._wrong(
                "fault", "messages that differ must be reported, and were not", None, cycle
            )
        self._check_order(cycle)

    def _check_order(self, cycle: int | None) -> None:
        """Check that one order of all messages agrees with every sender's and every receiver's."""
        behind: dict[int, set[int]] = defaultdict(set)
        before: dict[int, int] = defaultdict(int)
        place = self._places()
        sequences = [self._seen[node] for node in self._members]
        sequences += [[place[one.number] for one in self._sent[node]] for node in self._members]
        for first, second in (pair for each in sequences for pair in pairwise(each)):
            if second not in behind[first]:
                behind[first].add(second)
                before[second] += 1
        every = {number for each in sequences for number in each}
        free = [number for number in every if not before[number]]
        for number in free:  # grows
            for second in behind[number]:
                before[second] -= 1
                if not before[second]:
                    free.append(second)
        if len(free) < len(every):
            raise self._wrong(
                "order",
                f"members must receive messages in one order, and do not: "
                f"{len(every) - len(free)} messages stand in a circle",
                None,
                cycle,
            )

    def _places(self) -> dict[int, int]:
        """Number by which each message counts: its own, but of those that all send the last one."""
        place = {one.number: one.number for sent in self._sent.values() for one in sent}
        for each in self._rounds:
            numbers = [one.number for one in each.messages.values()]
            place |= dict.fromkeys(numbers, max(numbers))
        return place

    def _read(self, node: int, beats: Sequence[SentBeat]) -> Message | None:
        """Message of beats; None if it must be refused."""
        if self.is_refused(beats[0]):
            return None
        user, form = self._messages.user_field, self._messages.form
        kind = Collective(user(beats[0].tuser, "kind"))
        operation = user(beats[0].tuser, "operation") if kind in REDUCING else 0
        root = beats[0].tdest if kind in ROOTED else 0
        data = [beat.tdata for beat in beats]
        receivers, short = frozenset(self._members), False
        parts: list[list[int]] = [data]
        if kind == Collective.BARRIER:
            parts = []
        elif kind == Collective.MULTICAST:
            mask = sum(
                value << form.width * place for place, value in enumerate(data[: form.mask_beats])
            )
            receivers = frozenset(one for one in self._members if mask >> one & 1)
            parts, short = [data[form.mask_beats :]], len(data) < form.mask_beats
        elif kind == Collective.SCATTER:
            parts = [[]]
            for beat in beats:
                parts[-1].append(beat.tdata)
                if user(beat.tuser, "part") and not beat.tlast:
                    parts.append([])
        found = tuple(map(tuple, parts))
        return Message(self._count, node, kind, operation, root, found, receivers, short)

    def _join(self, message: Message) -> None:
        """Note a message of a collective that all members start."""
        number = self._joined[message.sender]
        self._joined[message.sender] += 1
        if number == len(self._rounds):
            self._rounds.append(_Round())
            self._open += 1
        one = self._rounds[number]
        one.messages[message.sender] = message
        if len(one.messages) < len(self._members):
            return
        self._open -= 1
        last = max(each.number for each in one.messages.values())
        if self._differs(one):
            receivers, due = self._marked(one), Due(last, None, fault=True)
        else:
            receivers = [message.root] if message.kind in ROOTED else self._members
            due = Due(last, self._together(one))
        for node in receivers:
            self._of_all[node].append((number, due))
        self._pending += len(receivers)

    def _differs(self, one: _Round) -> bool:
        """Whether messages differ in what all must have alike."""
        first, *others = one.messages.values()
        return any(
            each[2:5] != first[2:5]
            or (first.kind in REDUCING and len(each.data) != len(first.data))
            for each in others
        )

    def _marked(self, one: _Round) -> Sequence[int]:
        """Members that get a marked answer: all, if not only the lengths differ."""
        first, *others = one.messages.values()
        if first.kind == Collective.REDUCE and all(each[2:5] == first[2:5] for each in others):
            return [first.root]
        return self._members

    def _together(self, one: _Round) -> Answer | None:
        """Answer to messages that all members have sent; None if it depends on the tree."""
        first = next(iter(one.messages.values()))
        if first.kind == Collective.BARRIER:
            return Answer(first.kind, "", 0, (), {}, fault=False)
        if first.kind == Collective.GATHER:
            parts = {node: one.messages[node].data for node in self._messages.order}
            data = tuple(value for part in parts.values() for value in part)
            return Answer(first.kind, "", first.root, data, parts, fault=False)
        operation = self._messages.form.operations[first.operation]
        if not operation.is_known_in_any_order:
            return None
        vectors = [message.data for message in one.messages.values()]
        data = combined(operation, vectors, self._messages.form.width)
        word = self._messages.operations[first.operation]
        return Answer(first.kind, word, first.root, data, {}, fault=False)

    def _from_one(self, message: Message) -> dict[int, Due]:
        """What each member must receive of a message that one node sends."""

        def due(data: Sequence[int], *, fault: bool = False) -> Due:
            answer = Answer(message.kind, "", message.sender, tuple(data), {}, fault)
            # A message without a beat for a node is one beat whose data says nothing.
            return Due(message.number, answer if data else None, fault)

        if message.kind != Collective.SCATTER:
            data, fault = message.data, message.is_short
            return {node: due(data, fault=fault) for node in message.receivers}
        order, parts = self._messages.order, message.parts
        dues = {node: due(part) for node, part in zip(order, parts, strict=False)}
        dues |= {node: due((), fault=True) for node in order[len(parts) :]}
        if len(parts) > len(order):
            dues[order[-1]] = due(parts[len(order) - 1], fault=True)
        return dues

    def _due(self, node: int, answer: Answer, cycle: int) -> Due:
        """Next of what a member must receive to which an answer belongs."""
        if answer.kind >= Collective.BROADCAST:
            waiting = self._of_one[answer.node, node]
            if not waiting:
                headline = f"no message of node {answer.node} is due at node {node}"
                raise self._wrong("unexpected", headline, node, cycle, answer=answer)
            return waiting.popleft()
        if not self._of_all[node]:
            headline = f"an answer at node {node} must not come before all members have sent"
            raise self._wrong("unexpected", headline, node, cycle, answer=answer)
        number, due = self._of_all[node].popleft()
        late = [one for one in self._members if one not in self._rounds[number].begun]
        if late:
            headline = (
                f"an answer at node {node} must not come before nodes {listed(map(str, late))} send"
            )
            raise self._wrong("early", headline, node, cycle, answer=answer, due=due)
        return due

    def _wrong(
        self,
        what: str,
        headline: str,
        node: int | None,
        cycle: int | None,
        *,
        answer: Answer | None = None,
        due: Due | None = None,
    ) -> Mismatch:
        at = "" if cycle is None else f", in cycle {cycle}"
        lines = [f"{self.name}: {headline}{at}"]
        lines += [f"  must be: {_answer_text(due.answer)}"] if due and due.answer else []
        lines += [f"  came: {_answer_text(answer)}"] if answer else []
        return Mismatch("\n".join(lines), what, node=node, cycle=cycle)


def _answer_text(answer: Answer) -> str:
    operation = f" by {answer.operation}" if answer.operation else ""
    data = listed(map(hex, answer.data)) or "no data"
    fault = ", marked" if answer.fault else ""
    return f"{answer.kind.name.lower()}{operation} of node {answer.node}: {data}{fault}"
