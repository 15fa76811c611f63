"""Members' ports in a run: what they offer and take in each cycle, and what they have received."""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.routing.collectives import Collective, CollectiveTree, MessageFormat

from ..model.collectives import Beat, CollectiveModel, Cycle, Header
from ..traffic.endpoints import PERIOD, random_bits
from .messages import Answer, Round

MARGIN = 64
"""Cycles run after the last answer, to see beats that should not come."""
PATIENCE = 2_000
"""Cycles without a beat after which a run is given up."""
BLOCK = 256
"""Cycles whose pauses are drawn together."""


class Pauses(NamedTuple):
    """When ports pause: as sources and sinks of packets do, from the same numbers.

    Members
    -------
    bubble, stall : int
        Probabilities that a port offers no new beat, or takes none, in units of 2^-64.
    period : int
        Cycles after which both are drawn anew; 0 if they never change.
    seed : int
        Decides every number.
    """

    bubble: int = 0
    stall: int = 0
    period: int = 0
    seed: int = 1

    @classmethod
    def of(cls, bubble: float, stall: float, *, changing: bool, seed: int) -> "Pauses":
        """Pauses with these probabilities."""
        in_units = [int(share * 2**64) for share in (bubble, stall)]
        return cls(in_units[0], in_units[1], PERIOD if changing else 0, seed)

    def block(self, ports: int, first: int, purpose: int) -> list[list[bool]]:
        """Whether each port pauses, for `BLOCK` cycles from the first one on.

        Parameters
        ----------
        purpose : int
            1 for offers, 2 for takes.
        """
        steady = (self.bubble, self.stall)[purpose - 1]
        if not steady:
            return [[False] * ports] * BLOCK
        clock = np.arange(first, first + BLOCK)[:, np.newaxis]
        port, limit = np.arange(ports)[np.newaxis, :], np.uint64(steady)
        seed = np.uint64(self.seed)
        with np.errstate(over="ignore"):
            if self.period:
                limit = random_bits(seed, port, clock // self.period, purpose + 2)
            return (random_bits(seed, port, clock, purpose) < limit).tolist()


class Group(NamedTuple):
    """Group of nodes with a tree of its own, and its collectives in a run.

    Members
    -------
    name : str
        Name in the ports of the Verilog.
    tree, form
        As of `CollectiveModel`.
    rounds : list of Round
        Collectives, in the order in which members start them.
    """

    name: str
    tree: CollectiveTree
    form: MessageFormat
    rounds: list[Round]

    @property
    def due(self) -> int:
        """Beats that members must receive; of a barrier one each."""
        return sum(len(each.data) or 1 for one in self.rounds for each in one.answers.values())

    def sent(self) -> list[list[Beat]]:
        """Beats that each member sends, in the order of `tree.members`."""
        return [
            [
                beat
                for one in self.rounds
                if node in one.messages
                for beat in one.messages[node].beats()
            ]
            for node in self.tree.members
        ]


SENT, ANSWER, MARKS = range(3)
"""What a row of a log says of a port: its beat is taken, one is offered to it, its marks change."""


class Row(NamedTuple):
    """What a port does in a cycle.

    Members
    -------
    cycle, port : int
        Ports are numbered over all groups, in the order of their members.
    what : int
        `SENT`, `ANSWER` or `MARKS`.
    taken : bool
        Whether the member takes the beat that is offered.
    value : int
        Bits of `tdata` and `tuser`, `tid` and `tlast` below, of an answer; of marks `awaited`,
        `fault` and `refused`, the lowest bit.
    """

    cycle: int
    port: int
    what: int
    taken: bool = False
    value: int = 0


class Log(NamedTuple):
    """What all ports do in a run, and the cycles that it takes."""

    rows: list[Row]
    cycles: int


def packed(form: MessageFormat, beat: Beat) -> int:
    """Bits of a beat that is offered to a member, as `Row` has them."""
    return beat.data << (user_bits(form) + form.root_bits + 1) | packed_header(form, beat)


def packed_header(form: MessageFormat, beat: Beat) -> int:
    """Bits of a beat but its data."""
    kind_end = 1 + _KIND
    user = beat.part | beat.header.kind << 1 | beat.header.operation << kind_end
    user |= beat.fault << (kind_end + form.operation_bits)
    return (user << form.root_bits | beat.header.root) << 1 | beat.last


_KIND = (max(Collective)).bit_length()


def user_bits(form: MessageFormat) -> int:
    """Bits of `tuser` of an answer."""
    return 2 + _KIND + form.operation_bits


def unpacked(form: MessageFormat, value: int) -> Beat:
    """Beat of an answer's bits."""

    def field(bits: int) -> int:
        nonlocal value
        found, value = value & ((1 << bits) - 1), value >> bits
        return found

    last, root, part = field(1), field(form.root_bits), field(1)
    kind, operation, fault = field(_KIND), field(form.operation_bits), field(1)
    return Beat(value, bool(last), bool(part), Header(kind, operation, root), bool(fault))


class _Member:
    """What a group's members still have to send, and how much they have received."""

    def __init__(self, group: Group) -> None:
        self.beats = group.sent()
        self.place = [0] * len(self.beats)
        self.offered = [False] * len(self.beats)


def run_model(groups: Sequence[Group], pauses: Pauses) -> Log:
    """Run the golden models of all groups until all is received, or nothing moves any more."""
    models = [CollectiveModel(group.tree, group.form) for group in groups]
    members = [_Member(group) for group in groups]
    sizes = [len(group.tree.members) for group in groups]
    first = np.cumsum([0, *sizes]).tolist()
    marks = [[0] * size for size in sizes]
    rows: list[Row] = []
    due, moved, end, cycle = sum(group.due for group in groups), 0, None, 0
    to_send = sum(len(beats) for member in members for beats in member.beats)
    bubbles: list[list[bool]] = []
    stalls: list[list[bool]] = []
    while end is None or cycle < end:
        if cycle % BLOCK == 0:
            bubbles = pauses.block(first[-1], cycle, 1)
            stalls = pauses.block(first[-1], cycle, 2)
        bubble, stall = bubbles[cycle % BLOCK], stalls[cycle % BLOCK]
        for number, (group, model, member) in enumerate(zip(groups, models, members, strict=True)):
            base, size = first[number], sizes[number]
            offers = _offers(member, bubble[base : base + size])
            takes = [not pause for pause in stall[base : base + size]]
            result = model.step(offers, takes)
            for port in range(size):
                if result.taken[port]:
                    rows.append(Row(cycle, base + port, SENT))
                    member.place[port] += 1
                    member.offered[port] = False
                    to_send, moved = to_send - 1, cycle
                answer = result.answers[port]
                if answer is not None:
                    taken = takes[port]
                    value = packed(group.form, answer)
                    rows.append(Row(cycle, base + port, ANSWER, taken, value))
                    if taken:
                        due, moved = due - 1, cycle
            _note_marks(rows, marks[number], result, members=group.tree.members, at=(cycle, base))
        cycle += 1
        if end is None and ((due <= 0 and to_send <= 0) or cycle - moved > PATIENCE):
            end = cycle + MARGIN
    return Log(rows, cycle)


def _offers(member: _Member, bubble: Sequence[bool]) -> list[Beat | None]:
    """Beats that a group's members offer in a cycle; one that was offered stays."""
    offers: list[Beat | None] = []
    for port, (beats, place) in enumerate(zip(member.beats, member.place, strict=True)):
        if place < len(beats) and (member.offered[port] or not bubble[port]):
            member.offered[port] = True
            offers.append(beats[place])
        else:
            offers.append(None)
    return offers


def _note_marks(
    rows: list[Row],
    marks: list[int],
    result: Cycle,
    *,
    members: Sequence[int],
    at: tuple[int, int],
) -> None:
    """Note the ports whose marks change; `at` is the cycle, and the group's first port."""
    faults = {members.index(fault.member): fault.bits for fault in result.faults}
    cycle, base = at
    for port, (refused, waits) in enumerate(zip(result.refused, result.waits, strict=True)):
        value = int(waits) << 4 | faults.get(port, 0) << 1 | int(refused)
        if value != marks[port]:
            marks[port] = value
            rows.append(Row(cycle, base + port, MARKS, False, value))


def differences(one: Log, other: Log) -> list[Row]:
    """Rows that only one of two logs has, in order of cycle and port."""
    return sorted({*one.rows} ^ {*other.rows})


class Verdict(NamedTuple):
    """What is wrong with a run's answers, and when the last beat was received.

    Members
    -------
    answered, missing, wrong : int
        Answers that are right, that did not come, and that should not have come so.
    first_wrong : str or None
        First answer that is wrong or missing, in words.
    last : int
        Cycle of the last beat; -1 without any.
    """

    answered: int
    missing: int
    wrong: int
    first_wrong: str | None
    last: int


def judge(groups: Sequence[Group], log: Log) -> Verdict:
    """Compare a run's answers with those that are due.

    Members receive what all send in the order in which it was started, and what one sends in its
    own order.
    """
    port_of = [
        (group, node, _Due.of(group, node)) for group in groups for node in group.tree.members
    ]
    received: dict[int, list[Beat]] = defaultdict(list)
    answered, last, wrong = 0, -1, list[str]()
    for row in log.rows:
        if row.what != ANSWER or not row.taken:
            continue
        group, node, due = port_of[row.port]
        beat, last = unpacked(group.form, row.value), row.cycle
        received[row.port].append(beat)
        if not beat.last:
            continue
        problem = due.problem(received.pop(row.port))
        if problem is None:
            answered += 1
        else:
            wrong.append(f"{group.name}: node {node}, cycle {row.cycle}: {problem}")
    left = [
        f"{group.name}: node {node}: no answer to {Collective(answer.header.kind).name.lower()}"
        for group, node, due in port_of
        for queue in due.queues.values()
        for answer in queue
    ]
    return Verdict(answered, len(left), len(wrong), next(iter([*wrong, *left]), None), last)


class _Due(NamedTuple):
    """Answers that a member must receive: by the sender, or -1 for what all send."""

    queues: dict[int, deque[Answer]]

    @classmethod
    def of(cls, group: Group, node: int) -> "_Due":
        queues: dict[int, deque[Answer]] = defaultdict(deque)
        for one in group.rounds:
            if node in one.answers:
                answer = one.answers[node]
                queues[_sender(answer.header)].append(answer)
        return cls(queues)

    def problem(self, beats: Sequence[Beat]) -> str | None:
        """What is wrong with an answer; it is due no more."""
        header = beats[0].header
        queue = self.queues.get(_sender(header))
        if not queue:
            return f"an answer that nobody started, {header}"
        answer = queue.popleft()
        data = [] if header.kind == Collective.BARRIER else [beat.data for beat in beats]
        if any(beat.fault for beat in beats):
            return "an answer marked by fault"
        if any(beat.header != answer.header for beat in beats):
            return f"an answer must have {answer.header}, not {header}"
        if data != answer.data:
            return f"an answer must have the data of NumPy, not {len(data)} beats from {data[:2]}"
        return None


def _sender(header: Header) -> int:
    return header.root if header.kind >= Collective.BROADCAST else -1
