"""A group's collectives in a cocotb simulation: started, expected, and checked while they run."""

import random
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cocotb.triggers import RisingEdge
from knotwork.collective_groups import NodeGroup
from knotwork.errors import ConfigurationError
from knotwork.routing.collectives import Collective
from knotwork.routing.messages import Answer, CollectiveMessages, ReceivedBeat, SentBeat
from knotwork.wording import plural

from ..model.collectives import Beat, CollectiveModel, Header, Watchdog
from ..scoreboard import Mismatch
from ..scoreboard.collectives import CollectiveScoreboard
from .ends import Ends, plain_frame, set_pauses
from .ports import Stream, signal_value


class CollectiveArrival(NamedTuple):
    """Answer that a member has received.

    Members
    -------
    answer : Answer
        What it says; `answer.data` are its beats.
    cycle : int
        Cycle of its last beat.
    """

    answer: Answer
    cycle: int


_MARKS = ("refused", "fault", "awaited", "late")
"""What is reported of a member's messages; `late` where there is a watchdog."""


class _Port:
    """What crosses a member's ports: the beat that is offered, and the beats of two messages."""

    def __init__(self, scope: Any, member: Mapping[str, Any]) -> None:
        self.send = Stream.of(scope, member["send"])
        self.receive = Stream.of(scope, member["receive"])
        self._marks = {what: getattr(scope, member[what]) for what in _MARKS if what in member}
        self.clear()

    def clear(self) -> None:
        """Forget all beats."""
        self.sent: list[SentBeat] = []
        self.received: list[ReceivedBeat] = []
        self._held: ReceivedBeat | None = None

    def offered(self, cycle: int) -> SentBeat | None:
        """Beat that the member offers."""
        stream = self.send
        if not signal_value(stream.tvalid, cycle):
            return None
        return SentBeat(
            signal_value(stream.tdata, cycle),
            bool(signal_value(stream.tlast, cycle)),
            signal_value(stream.tdest, cycle),
            signal_value(stream.tuser, cycle),
        )

    def is_taken(self, cycle: int) -> bool:
        """Whether the group takes a beat."""
        return bool(signal_value(self.send.tready, cycle))

    def is_ready(self, cycle: int) -> bool:
        """Whether the member takes a beat."""
        return bool(signal_value(self.receive.tready, cycle))

    def answer(self, cycle: int, *, ready: bool) -> ReceivedBeat | None:
        """Beat that the member is offered.

        Raises
        ------
        AssertionError
            It must be what was offered before, and is not.
        """
        stream, beat = self.receive, None
        if signal_value(stream.tvalid, cycle):
            beat = ReceivedBeat(
                signal_value(stream.tdata, cycle),
                bool(signal_value(stream.tlast, cycle)),
                signal_value(stream.tid, cycle),
                signal_value(stream.tuser, cycle),
            )
        if self._held not in (None, beat):
            raise AssertionError(
                f"cycle {cycle}: {stream.prefix} must not change before tready, and did"
            )
        self._held = None if ready else beat
        return beat

    def marks(self, cycle: int) -> dict[str, int]:
        """What is reported of its message."""
        return {what: signal_value(mark, cycle) for what, mark in self._marks.items()}


class _Golden:
    """Golden model of a group, at its ports."""

    def __init__(self, group: NodeGroup, messages: CollectiveMessages) -> None:
        self._field, self._members = messages.user_field, group.tree.members
        self._model = CollectiveModel(group.tree, group.form)
        self._watchdog = Watchdog(len(self._members), group.watchdog)

    def step(
        self, offers: Sequence[SentBeat | None], ready: Sequence[bool]
    ) -> list[dict[str, object]]:
        """What each member's ports must do in a cycle."""
        model = self._model.step([beat and self._sent(beat) for beat in offers], ready)
        faults = dict.fromkeys(self._members, 0)
        for fault in model.faults:
            faults[fault.member] |= fault.bits
        late = self._watchdog.step(model.waits)
        return [
            {
                "answer": model.answers[place],
                "tready": model.taken[place],
                "refused": model.refused[place],
                "fault": faults[node],
                "awaited": model.waits[place],
                "late": late[place],
            }
            for place, node in enumerate(self._members)
        ]

    def received(self, beat: ReceivedBeat) -> Beat:
        """Beat to a member, as the model has it."""
        return self._beat(beat, beat.tid, fault=bool(self._field(beat.tuser, "fault")))

    def _sent(self, beat: SentBeat) -> Beat:
        return self._beat(beat, beat.tdest, fault=False)

    def _beat(self, beat: SentBeat | ReceivedBeat, root: int, *, fault: bool) -> Beat:
        user = beat.tuser
        header = Header(self._field(user, "kind"), self._field(user, "operation"), root)
        return Beat(beat.tdata, beat.tlast, bool(self._field(user, "part")), header, fault)


class CollectiveTestbench:
    """Members of a group of nodes: each starts collectives, and is checked in what it receives.

    The test fails in the cycle in which an answer is not what NumPy says, or a port does not do
    what the golden model does.

    Parameters
    ----------
    scope : handle
        Instance of the network.
    ends : Ends
        Clock and reset, and where the members' ports are driven.
    entry : mapping
        The group in the list ``collectives`` of a manifest.
    name : str
        Name of the network, for messages.
    driven : collection of int, optional
        Nodes that get a source and a sink; all if unnamed.
    group : NodeGroup, optional
        The group in Python, for the golden model; without it cycles are not compared.

    Members
    -------
    members : tuple of int
        Nodes of the group; those in the tree's order are `messages.order`.
    kinds, operations : tuple of str
        What there is to start, and the operations of reductions.
    width : int
        Bits of a beat.
    cycles : int
        Those of the links from the furthest member to the centre and back.
    messages : CollectiveMessages
        Encodes what is sent.
    scoreboard : CollectiveScoreboard
        What must come since the last reset.
    sources, sinks : dict
        Those of cocotbext-axi, by node.
    cycle, moved : int
        Cycles since the last reset; the last one in which a beat crossed a port.
    """

    def __init__(
        self,
        scope: Any,
        ends: Ends,
        entry: Mapping[str, Any],
        *,
        name: str,
        driven: Collection[int] | None = None,
        group: NodeGroup | None = None,
    ) -> None:
        self.name, self.cycles = f"{name}: {entry['name']}", entry["cycles"]
        self.messages = CollectiveMessages.of_group(entry)
        self.kinds = tuple(kind.name.lower() for kind in Collective)
        self.operations, self.width = self.messages.operations, self.messages.form.width
        self._ends, self._node_group = ends, group
        self._ports = {member["node"]: _Port(scope, member) for member in entry["members"]}
        self.members = tuple(self._ports)
        driving = [node for node in self.members if driven is None or node in driven]
        self.sources = {node: ends.source(self._ports[node].send) for node in driving}
        self.sinks = {node: ends.sink(self._ports[node].receive) for node in driving}
        self.forget()

    def forget(self) -> None:
        """Forget all messages: a reset has begun."""
        self.scoreboard = CollectiveScoreboard(self.messages, self.name)
        self.arrived: dict[int, deque[CollectiveArrival]] = {node: deque() for node in self.members}
        group = self._node_group
        self._golden = None if group is None else _Golden(group, self.messages)
        self._awaited = dict.fromkeys(self.members, False)
        self._offered = dict.fromkeys(self.members, False)
        self.cycle = self.moved = 0
        for source in self.sources.values():
            source.clear()
        for port in self._ports.values():
            port.clear()

    async def run(self) -> None:
        """Watch for ever."""
        edge, in_reset = RisingEdge(self._ends.clock), False
        while True:
            await edge
            if str(self._ends.reset.value) != self._ends.running:
                if not in_reset:
                    self.forget()
                in_reset = True
                continue
            in_reset = False
            self._watch_cycle()

    def summary(self) -> str:
        """What has been covered since the last reset."""
        board = self.scoreboard
        return f"{self.name}: {plural(board.sent, 'message')}, {plural(board.received, 'answer')}"

    @property
    def is_complete(self) -> bool:
        """Whether all has been sent, and nothing is due."""
        return all(each.idle() for each in self.sources.values()) and self.scoreboard.is_complete

    @property
    def awaited(self) -> list[int]:
        """Members for whose message the group waits, in the last cycle."""
        return [node for node, awaits in self._awaited.items() if awaits]

    def pause(self, *, sources: float = 0.0, sinks: float = 0.0) -> None:
        """Let sources and sinks pause in these shares of the cycles, at random, from now on."""
        for kind, ends, share in (("source", self.sources, sources), ("sink", self.sinks, sinks)):
            for node, end in ends.items():
                set_pauses(end, share, f"{self.name} {kind} {node} {random.random()}")

    def barrier(self, node: int) -> None:
        """Send a member's barrier; all members get an answer when all have sent theirs."""
        self.send_beats(node, self.messages.barrier())

    def all_reduce(self, node: int, values: Sequence[int], operation: str | None = None) -> None:
        """Send a member's vector of an `all_reduce`; all members get the result."""
        self.send_beats(node, self.messages.all_reduce(values, operation))

    def reduce(
        self, node: int, values: Sequence[int], operation: str | None = None, *, root: int
    ) -> None:
        """Send a member's vector of a `reduce`; the root gets the result."""
        self.send_beats(node, self.messages.reduce(values, root, operation))

    def gather(self, node: int, values: Sequence[int], *, root: int) -> None:
        """Send a member's vector of a `gather`; the root gets all."""
        self.send_beats(node, self.messages.gather(values, root))

    def broadcast(self, node: int, values: Sequence[int]) -> None:
        """Send a vector to all members."""
        self.send_beats(node, self.messages.broadcast(values))

    def multicast(self, node: int, nodes: Iterable[int], values: Sequence[int]) -> None:
        """Send a vector to some members."""
        self.send_beats(node, self.messages.multicast(nodes, values))

    def scatter(self, node: int, parts: Mapping[int, Sequence[int]]) -> None:
        """Send each member its part."""
        self.send_beats(node, self.messages.scatter(parts))

    def send_beats(self, node: int, beats: Sequence[SentBeat]) -> None:
        """Send beats as they are, and expect what the group must make of them.

        Raises
        ------
        ConfigurationError
            A node without a source.
        """
        if node not in self.sources:
            raise ConfigurationError(
                f"{self.name}: a message must be sent by a member that the testbench drives, "
                f"not by node {node}"
            )
        # But for the marks of parts the header is read on the first beat only.
        user = [beats[0].tuser, *(beat.tuser ^ self._unread for beat in beats[1:])]
        root = (1 << self.messages.form.root_bits) - 1
        dest = [beats[0].tdest, *(beat.tdest ^ root for beat in beats[1:])]
        self.sources[node].send_nowait(
            plain_frame([beat.tdata for beat in beats], tdest=dest, tuser=user)
        )
        self.scoreboard.send(node, beats)

    async def expect(
        self, node: int, values: Sequence[int] | None = None, *, within: int = 1000
    ) -> CollectiveArrival:
        """Wait for the next answer at a member.

        Parameters
        ----------
        values : sequence of int, optional
            Beats that it must have.
        within : int
            Cycles in which it must come.

        Raises
        ------
        Mismatch
            None comes, or another one.
        """
        begun, arrived = self.cycle, self.arrived[node]
        while not arrived:
            if self.cycle - begun >= within:
                raise self._mismatch(
                    "late", f"node {node} must get an answer within {within} cycles, and got none"
                )
            await RisingEdge(self._ends.clock)
            arrived = self.arrived[node]
        arrival = arrived.popleft()
        if values is not None and tuple(values) != arrival.answer.data:
            raise self._mismatch(
                "other",
                f"node {node} must get the answer {list(map(hex, values))}, and got "
                f"{list(map(hex, arrival.answer.data))}",
            )
        return arrival

    def finish(self) -> None:
        """Check the end: nothing is missing, nobody is waited for, all have one order.

        Raises
        ------
        Mismatch
            What is not so.
        """
        self.scoreboard.finish(self.cycle)
        if self.awaited:
            raise self._mismatch(
                "awaited", f"no message must be awaited at the end, and is of {self.awaited}"
            )

    @property
    def _unread(self) -> int:
        """Bits of `tuser` that are read on a message's first beat alone."""
        return (1 << self.messages.form.user_places["fault"][0]) - 2

    def _mismatch(self, what: str, headline: str) -> Mismatch:
        text = f"{self.name}: {headline}, in cycle {self.cycle}"
        return Mismatch(text, what, cycle=self.cycle)

    def _watch_cycle(self) -> None:
        cycle = self.cycle
        offers = {node: port.offered(cycle) for node, port in self._ports.items()}
        ready = {node: port.is_ready(cycle) for node, port in self._ports.items()}
        taken = {
            node: offers[node] is not None and port.is_taken(cycle)
            for node, port in self._ports.items()
        }
        answers = {
            node: port.answer(cycle, ready=ready[node]) for node, port in self._ports.items()
        }
        marks = {node: port.marks(cycle) for node, port in self._ports.items()}
        for node in self.members:
            self._note_offer(node, offers[node], taken=taken[node])
        for node, mark in marks.items():
            if mark["refused"]:
                self.scoreboard.refuse(node, cycle)
            if mark["fault"]:
                self.scoreboard.differ(node, mark["fault"], cycle)
            self._awaited[node] = bool(mark["awaited"])
        for node in self.members:
            self._note_answer(node, answers[node], taken=ready[node])
        if self._golden is not None:
            expected = self._golden.step([*offers.values()], [*ready.values()])
            for node, due in zip(self.members, expected, strict=True):
                answer = answers[node]
                found = {
                    "answer": answer and self._golden.received(answer),
                    "tready": taken[node],
                    **marks[node],
                }
                self._compare(node, found, due)
        self.cycle += 1

    def _note_offer(self, node: int, beat: SentBeat | None, *, taken: bool) -> None:
        """Note the beat that a member offers; a message counts from its first one on."""
        if beat is None:
            return
        board, sent = self.scoreboard, self._ports[node].sent
        is_driven = node in self.sources
        if not sent and not self._offered[node]:
            is_refused = board.is_refused(beat)
            kind = self.messages.user_field(beat.tuser, "kind")
            # What the design itself sends is known when it has left, but for what needs no data.
            if not is_driven and (is_refused or kind == Collective.BARRIER):
                board.send(node, [beat])
            if not is_refused and (is_driven or kind == Collective.BARRIER):
                board.begin(node)
        self._offered[node] = True
        if not taken:
            return
        self.moved = self.cycle
        sent.append(beat)
        if beat.tlast:
            first = sent[0]
            kind = self.messages.user_field(first.tuser, "kind")
            if not is_driven and kind != Collective.BARRIER and not board.is_refused(first):
                board.send(node, sent)
                board.begin(node)
            self._ports[node].sent = []
            self._offered[node] = False

    def _note_answer(self, node: int, beat: ReceivedBeat | None, *, taken: bool) -> None:
        if beat is None or not taken:
            return
        self.moved = self.cycle
        received = self._ports[node].received
        received.append(beat)
        first = received[0]
        if beat.tid != first.tid or (beat.tuser ^ first.tuser) & self._unread:
            raise self._mismatch(
                "changed", f"the header of an answer at node {node} must not change, and did"
            )
        if beat.tlast:
            self._ports[node].received = []
            answer = self.scoreboard.receive(node, received, self.cycle)
            self.arrived[node].append(CollectiveArrival(answer, self.cycle))

    def _compare(
        self, node: int, found: Mapping[str, object], expected: Mapping[str, object]
    ) -> None:
        """Compare a member's ports with the golden model's.

        Raises
        ------
        Mismatch
            They differ.
        """
        for what, value in found.items():
            if value != expected[what]:
                raise self._mismatch(
                    "cycle",
                    f"{what} of node {node} must be that of the golden model, {expected[what]}, "
                    f"not {value}",
                )
