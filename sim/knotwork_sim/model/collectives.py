"""Golden model of collectives: what a group's tree does in every cycle, in plain Python.

A router of the tree has a `Merge` on the way up and a `Spread` on the way down; a member has a
`Sender` and a `Receiver`. Each is the component of `gateware.collectives` with its name. What a
component offers depends on its registers and on what is offered to it; `step` writes its registers
at the end of the cycle, when it is known which offers were taken.
"""

from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from functools import reduce
from typing import NamedTuple

from knotwork.routing.collectives import (
    KIND_BITS,
    Branch,
    Collective,
    CollectiveTree,
    MessageFormat,
    Operation,
)


class Header(NamedTuple):
    """First flit of a message: what it is, and the node that it names."""

    kind: int
    operation: int = 0
    root: int = 0


class Beat(NamedTuple):
    """Beat of a node's stream; `fault` only of one to a node."""

    data: int
    last: bool
    part: bool
    header: Header
    fault: bool = False


class Flit(NamedTuple):
    """Flit on the tree."""

    data: int
    last: bool
    part: bool
    fault: bool


class Fault(NamedTuple):
    """What a member's message has other than the first of its group's: bits of `FAULTS`."""

    member: int
    bits: int


def combined(operation: Operation, beats: Sequence[int], width: int) -> int:
    """Beats of several messages as one, element by element."""
    bits = operation.element_width
    half, size = 1 << (bits - 1), 1 << bits
    result = 0
    for low in range(0, width, bits):
        elements = [beat >> low & (size - 1) for beat in beats]
        if operation.signed:
            elements = [element - size if element >= half else element for element in elements]
        result |= (reduce(_PAIRS[operation.name], elements) & (size - 1)) << low
    return result & ((1 << width) - 1)


_PAIRS = {
    "sum": lambda one, other: one + other,
    "min": min,
    "max": max,
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "xor": lambda one, other: one ^ other,
}


class Codec:
    """Headers as bits of a flit's data, and back."""

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        self.bits = form.header_bits

    def put(self, header: Header, data: int = 0) -> int:
        """Data with a header in its lowest bits."""
        root = header.root << (KIND_BITS + self._form.operation_bits)
        packed = header.kind | header.operation << KIND_BITS | root
        return data >> self.bits << self.bits | packed

    def read(self, flit: Flit) -> Header:
        """Header in a flit's data."""
        form, data = self._form, flit.data
        operation, root = data >> KIND_BITS, data >> (KIND_BITS + form.operation_bits)
        return Header(
            data & ((1 << KIND_BITS) - 1),
            operation & ((1 << form.operation_bits) - 1),
            root & ((1 << form.root_bits) - 1),
        )


class Sender:
    """Puts a header before a node's beats."""

    def __init__(self, form: MessageFormat, node: int, members: Sequence[int]) -> None:
        self._form, self._node, self._codec = form, node, Codec(form)
        self._members = members
        self._within = self._drops = False

    def _is_unknown(self, header: Header) -> bool:
        reduces = header.kind in (Collective.ALL_REDUCE, Collective.REDUCE)
        beyond = header.operation >= len(self._form.operations)
        names_root = header.kind in (Collective.REDUCE, Collective.GATHER)
        outside = header.root not in self._members
        return header.kind > max(Collective) or (reduces and beyond) or (names_root and outside)

    def offer(self, beat: Beat | None) -> Flit | None:
        """Flit for the tree."""
        if beat is None or self._drops or (not self._within and self._is_unknown(beat.header)):
            return None
        if self._within:
            return Flit(beat.data, beat.last, beat.part or beat.last, False)
        kind, operation, root = beat.header
        if kind < Collective.BROADCAST:
            root = root if kind in (Collective.REDUCE, Collective.GATHER) else 0
        else:
            root = self._node
        operation = operation if kind in (Collective.ALL_REDUCE, Collective.REDUCE) else 0
        data = self._codec.put(Header(kind, operation, root), beat.data)
        return Flit(data, kind == Collective.BARRIER, beat.part or beat.last, False)

    def step(self, beat: Beat | None, *, ready: bool) -> tuple[bool, bool]:
        """End a cycle: whether the beat was taken, and whether a message was refused."""
        if beat is None:
            return False, False
        if self._drops:
            self._drops = not beat.last
            return True, False
        if self._within:
            if ready and beat.last:
                self._within = False
            return ready, False
        refused = self._is_unknown(beat.header)
        if refused or (beat.header.kind == Collective.BARRIER and ready):
            self._drops = not beat.last
            return True, refused
        self._within = ready and beat.header.kind != Collective.BARRIER
        return False, False


class Merge:
    """Combines the branches' messages beat by beat, or passes them one after the other."""

    def __init__(self, form: MessageFormat, members: Sequence[int]) -> None:
        self._form, self._codec = form, Codec(form)
        self._members = members  # the first of each branch
        self._count = len(members)
        self._combines = self._passes = self._drains = False
        self._open: list[int] = []
        self._turn = self._count - 1
        self._operation = 0
        self.waits = [False] * self._count  # for a message of each branch

    def _selected(self, flits: Sequence[Flit | None]) -> int | None:
        """Branch that sends alone in this cycle; None if all send together, or none does."""
        if self._passes:
            return self._open[0]
        if self._combines or self._drains:
            return None
        for step in range(self._count):
            branch = (self._turn + 1 + step) % self._count
            flit = flits[branch]
            if flit is not None and self._codec.read(flit).kind >= Collective.BROADCAST:
                return branch
        return None

    def offer(self, flits: Sequence[Flit | None]) -> Flit | None:
        """Flit for the parent."""
        selected = self._selected(flits)
        if selected is not None:
            flit = flits[selected]
            if flit is None:
                return None
            data = flit.data
            if not self._passes:
                data &= (1 << self._codec.bits) - 1
            return flit._replace(data=data, last=flit.last and self._open in ([], [selected]))
        every = [flit for flit in flits if flit is not None]
        if self._drains or len(every) < self._count:
            return None
        lasts, fault = [flit.last for flit in every], any(flit.fault for flit in every)
        unequal = any(lasts) and not all(lasts)
        if self._combines:
            operation = self._form.operations[self._operation]
            data = combined(operation, [flit.data for flit in every], self._form.width)
            return Flit(data, any(lasts), False, fault or unequal)
        header, mixed = self._headers(every)
        if header.kind == Collective.GATHER:
            return Flit(self._codec.put(header), all(lasts), False, fault)
        return Flit(self._codec.put(header), any(lasts), False, fault or mixed or unequal)

    def _headers(self, flits: Sequence[Flit]) -> tuple[Header, bool]:
        """Header of what all members send, and whether theirs differ."""
        first = self._codec.read(flits[0])
        mixed = any(self._codec.read(flit) != first for flit in flits)
        return (first._replace(kind=Collective.ALL_REDUCE) if mixed else first), mixed

    def step(
        self, flits: Sequence[Flit | None], *, ready: bool, awaited: bool
    ) -> tuple[list[bool], list[Fault]]:
        """End a cycle: which branches' flits were taken, and what differs."""
        offer, selected = self.offer(flits), self._selected(flits)
        together = selected is None and not self._drains
        others = together and (awaited or any(flit is not None for flit in flits))
        self.waits = [others and flit is None for flit in flits]
        takes = [False] * self._count
        if self._drains:
            for branch in [*self._open]:
                flit = flits[branch]
                takes[branch] = True
                if flit is not None and flit.last:
                    self._open.remove(branch)
            self._drains = bool(self._open)
            return takes, []
        if selected is not None:
            takes[selected] = ready
            if offer is not None and ready:
                self._pass(flits, selected, offer)
            elif not self._passes:
                self._turn = (selected - 1) % self._count  # what is offered stays
            return takes, []
        if offer is None or not ready:
            return takes, []
        return [True] * self._count, self._together([flit for flit in flits if flit is not None])

    def _pass(self, flits: Sequence[Flit | None], selected: int, offer: Flit) -> None:
        if not self._passes:
            self._turn, self._open = selected, [selected]
        flit = flits[selected]
        assert flit is not None
        if flit.last:
            self._open.remove(selected)
        self._passes = not offer.last

    def _together(self, flits: Sequence[Flit]) -> list[Fault]:
        starts, lasts = not self._combines, [flit.last for flit in flits]
        header, _ = self._headers(flits) if starts else (Header(Collective.ALL_REDUCE), False)
        first = self._codec.read(flits[0])
        gathers = starts and header.kind == Collective.GATHER
        faults = []
        for member, flit in zip(self._members[1:], flits[1:], strict=True):
            if flit.fault or flits[0].fault:
                continue
            bits = 0
            if starts:
                other = self._codec.read(flit)
                bits |= other[:2] != first[:2]
                bits |= (other.root != first.root) << 1
            if not gathers:
                bits |= (flit.last != flits[0].last) << 2
            if bits:
                faults.append(Fault(member, bits))
        self._open = [branch for branch, last in enumerate(lasts) if not last]
        self._passes = gathers and bool(self._open)
        self._combines = not gathers and not any(lasts)
        self._drains = not gathers and any(lasts) and not all(lasts)
        if starts:
            self._operation = first.operation
        return faults


class Queue:
    """Buffer whose head is visible in the cycle after it was written."""

    def __init__(self, depth: int = 2) -> None:
        self._depth = depth
        self._flits: deque[Flit] = deque()

    def ready(self, flit: Flit | None = None) -> bool:
        """Whether a flit is taken in this cycle."""
        del flit
        return len(self._flits) < self._depth

    @property
    def head(self) -> Flit | None:
        """Flit that is offered."""
        return self._flits[0] if self._flits else None

    def step(self, flit: Flit | None, *, read: bool) -> None:
        """End a cycle in which this was offered."""
        takes = flit is not None and self.ready(flit)
        if read:
            self._flits.popleft()
        if takes and flit is not None:
            self._flits.append(flit)


class Queues:
    """Buffers along a link, one per cycle; without any, a wire."""

    def __init__(self, count: int) -> None:
        self._queues = [Queue() for _ in range(count)]

    def end(self, start: Flit | None) -> Flit | None:
        """Flit that is offered at the end."""
        return self._queues[-1].head if self._queues else start

    def ready(self, *, end: bool) -> bool:
        """Whether a flit is taken at the start."""
        return self._queues[0].ready() if self._queues else end

    def step(self, start: Flit | None, *, read: bool) -> None:
        """End a cycle in which this was offered, and the end would be taken."""
        heads = [start, *(queue.head for queue in self._queues)]
        ready = [*(queue.ready() for queue in self._queues[1:]), read]
        for queue, flit, taken in zip(self._queues, heads, ready):  # noqa: B905
            queue.step(flit, read=taken and queue.head is not None)


class Spread(Queue):
    """Copies each message to the branches that it is for."""

    def __init__(self, form: MessageFormat, branches: Sequence[Sequence[int]]) -> None:
        super().__init__(2 + form.mask_beats)
        self._form, self._codec = form, Codec(form)
        self._branches = branches
        self._done = [False] * len(branches)
        self._within = False
        self._targets = self._done
        self._inside = self._scans = self._scanned = False
        self._mask = self._beat = 0

    def _is_multicast(self, flit: Flit) -> bool:
        return self._codec.read(flit).kind == Collective.MULTICAST

    def ready(self, flit: Flit | None = None) -> bool:
        """Whether a flit is taken: a multicast only when the one before has left."""
        if flit is not None and not self._inside and self._is_multicast(flit) and self._scanned:
            return False
        return super().ready()

    def _wanted(self) -> Sequence[bool] | None:
        """Branches that the head is for; None while there is none, or its mask is not here."""
        head = self.head
        if head is None:
            return None
        if self._within:
            return self._targets
        header = self._codec.read(head)
        if header.kind == Collective.MULTICAST:
            if not self._scanned:
                return None
            return [any(self._mask >> node & 1 for node in branch) for branch in self._branches]
        if header.kind in (Collective.REDUCE, Collective.GATHER):
            return [header.root in branch for branch in self._branches]
        return [True] * len(self._branches)

    def offers(self) -> list[Flit | None]:
        """Flit for each branch."""
        wanted = self._wanted()
        if wanted is None:
            return [None] * len(self._branches)
        return [
            self.head if wants and not done else None
            for wants, done in zip(wanted, self._done, strict=True)
        ]

    def spread(self, flit: Flit | None, ready: Sequence[bool]) -> None:
        """End a cycle in which this was offered, and these branches were ready."""
        wanted, head = self._wanted(), self.head
        comes = flit if flit is not None and self.ready(flit) else None
        fire = False
        if wanted is not None and head is not None:
            done = [
                was or (takes and wants)
                for was, takes, wants in zip(self._done, ready, wanted, strict=True)
            ]
            fire = all(one or not wants for one, wants in zip(done, wanted, strict=True))
            self._done = [False] * len(done) if fire else done
            if fire:
                if not self._within and self._is_multicast(head):
                    self._scanned = False
                self._targets, self._within = wanted, not head.last
        if fire:
            self._flits.popleft()
        if comes is not None:
            self._scan(comes)
            self._flits.append(comes)

    def _scan(self, flit: Flit) -> None:
        if not self._inside and self._is_multicast(flit):
            self._mask = self._beat = 0
            self._scans, self._scanned = not flit.last, flit.last
        elif self._scans:
            self._mask |= flit.data << (self._beat * self._form.width)
            self._beat += 1
            if self._beat == self._form.mask_beats or flit.last:
                self._scans, self._scanned = False, True
        self._inside = not flit.last


class Phase(Enum):
    """What the next flit of a message is to its receiver."""

    HEADER = auto()
    MASK = auto()
    SKIP = auto()
    DATA = auto()
    REST = auto()


class Receiver:
    """Takes the header off a message for a node, and what else is not for it."""

    def __init__(self, form: MessageFormat, place: int, *, is_final: bool) -> None:
        self._form, self._place, self._codec = form, place, Codec(form)
        self._is_final = is_final
        self._phase = Phase.HEADER
        self._kept = Header(0)
        self._marked = False
        self._before = self._beat = 0

    def offer(self, flit: Flit | None) -> Beat | None:
        """Beat for the node."""
        if flit is None or self._phase in (Phase.HEADER, Phase.REST):
            return None
        if self._phase != Phase.DATA and not flit.last:
            return None
        ends = flit.last or (self._kept.kind == Collective.SCATTER and flit.part)
        short = self._phase == Phase.SKIP or (
            self._phase == Phase.MASK and self._beat != self._form.mask_beats - 1
        )
        excess = self._is_final and ends and not flit.last
        fault = flit.fault or self._marked or short or (self._phase == Phase.DATA and excess)
        return Beat(flit.data, ends, flit.part, self._kept, fault)

    def ready(self, flit: Flit | None, *, taken: bool) -> bool:
        """Whether a flit is taken, if the node takes beats."""
        if flit is None:
            return False
        if self._phase == Phase.HEADER:
            return not flit.last
        if self._phase == Phase.REST:
            return True
        return taken or (self._phase != Phase.DATA and not flit.last)

    def step(self, flit: Flit | None, *, taken: bool) -> None:
        """End a cycle."""
        if flit is None:
            return
        takes = self.ready(flit, taken=taken)
        if self._phase == Phase.HEADER:
            self._start(flit)
        elif takes:
            self._marked |= flit.fault
            self._advance(flit)
            if flit.last:
                self._phase = Phase.HEADER

    def _start(self, flit: Flit) -> None:
        self._kept, self._marked = self._codec.read(flit), flit.fault
        self._before, self._beat, self._phase = self._place, 0, Phase.DATA
        if not flit.last and self._kept.kind == Collective.MULTICAST:
            self._phase = Phase.MASK
        if not flit.last and self._kept.kind == Collective.SCATTER and self._place:
            self._phase = Phase.SKIP

    def _advance(self, flit: Flit) -> None:
        if self._phase == Phase.MASK:
            self._beat += 1
            if self._beat == self._form.mask_beats:
                self._phase = Phase.DATA
        elif self._phase == Phase.SKIP and flit.part:
            self._before -= 1
            if self._before == 0:
                self._phase = Phase.DATA
        elif self._phase == Phase.DATA and self._kept.kind == Collective.SCATTER and flit.part:
            self._phase = Phase.REST


class Cycle(NamedTuple):
    """What a group's ports do in a cycle.

    Members
    -------
    answers : list of Beat or None
        Beat that is offered to each member, in the order of `tree.members`.
    taken : list of bool
        Whether each member's beat is taken.
    refused : list of bool
        Whether a message of each member is refused.
    waits : list of bool
        Whether the group waits for a message of each member.
    faults : list of Fault
        Messages that differ from their group's.
    """

    answers: list[Beat | None]
    taken: list[bool]
    refused: list[bool]
    waits: list[bool]
    faults: list[Fault]


class Ports(NamedTuple):
    """Ports of a member: its number in `tree.members`, and what stands behind them."""

    member: int
    sender: Sender
    receiver: Receiver


class _Router:
    """Router of the tree, with its members' ports, and the buffers along links to its children."""

    def __init__(self, tree: CollectiveTree, form: MessageFormat, index: int) -> None:
        self.branches = tree.routers[index].branches
        self._merge = Merge(form, [branch.members[0] for branch in self.branches])
        self.spread = Spread(form, [branch.members for branch in self.branches])
        self.ports = [
            None
            if node is None
            else Ports(
                tree.members.index(node),
                Sender(form, node, tree.members),
                Receiver(form, tree.order.index(node), is_final=node == tree.order[-1]),
            )
            for node in (branch.node for branch in self.branches)
        ]
        self.ups = [Queues(branch.up) for branch in self.branches]
        self.downs = [Queues(branch.down - 1) for branch in self.branches]

    def arriving(self, beats: Sequence[Beat | None]) -> list[Flit | None]:
        """What each branch offers on the way up."""
        return [
            queues.end(None) if ports is None else ports.sender.offer(beats[ports.member])
            for ports, queues in zip(self.ports, self.ups, strict=True)
        ]

    def offer(self, flits: Sequence[Flit | None]) -> Flit | None:
        """Flit for the parent; a router with one branch passes it on."""
        return self._merge.offer(flits) if len(flits) > 1 else flits[0]

    def waits(self, *, awaited: bool) -> list[bool]:
        """Whether the group waits for a message of each branch, if it waits for one from here."""
        return self._merge.waits if len(self.branches) > 1 else [awaited]

    def merge(
        self, flits: Sequence[Flit | None], *, ready: bool, awaited: bool
    ) -> tuple[list[bool], list[Fault]]:
        """End the cycle of the way up: which branches' flits were taken, and what differs."""
        if len(flits) > 1:
            return self._merge.step(flits, ready=ready, awaited=awaited)
        return [ready], []


class CollectiveModel:
    """A group's tree, cycle by cycle.

    Parameters
    ----------
    tree : CollectiveTree
        Members, and the links.
    form : MessageFormat
        Widths and operations.
    """

    def __init__(self, tree: CollectiveTree, form: MessageFormat) -> None:
        tree.require_fit(form)
        self.members = tree.members
        self._routers = [_Router(tree, form, index) for index in range(len(tree.routers))]

    def step(self, beats: Sequence[Beat | None], ready: Sequence[bool]) -> Cycle:
        """One cycle: beats that members offer, and whether each takes what is offered to it."""
        count = len(self.members)
        cycle = Cycle([None] * count, *([False] * count for _ in range(3)), faults=[])
        # All is decided by the registers of the cycle's start; then they are written.
        ups = [router.arriving(beats) for router in self._routers]
        offers = [router.offer(flits) for router, flits in zip(self._routers, ups, strict=True)]
        downs = [router.spread.offers() for router in self._routers]
        into = [offers[0]] * len(self._routers)
        accepts = [self._routers[0].spread.ready(offers[0])] * len(self._routers)
        taken: list[list[bool]] = []
        for router, flits in zip(self._routers, downs, strict=True):
            taken.append([])
            for place, (branch, ports) in enumerate(
                zip(router.branches, router.ports, strict=True)
            ):
                if ports is not None:
                    cycle.answers[ports.member] = ports.receiver.offer(flits[place])
                    takes = ports.receiver.ready(flits[place], taken=ready[ports.member])
                else:
                    child = self._child(branch)
                    into[child] = router.downs[place].end(flits[place])
                    end = self._routers[child].spread.ready(into[child])
                    takes = router.downs[place].ready(end=end)
                    accepts[child] = router.ups[place].ready(end=False)
                taken[-1].append(takes)
        self._write_ups(ups, offers, accepts, beats, cycle)
        for router, flits in zip(self._routers, downs, strict=True):
            for place, (branch, ports) in enumerate(
                zip(router.branches, router.ports, strict=True)
            ):
                if ports is not None:
                    ports.receiver.step(flits[place], taken=ready[ports.member])
                else:
                    child = self._child(branch)
                    accepted = self._routers[child].spread.ready(into[child])
                    router.downs[place].step(flits[place], read=accepted)
        for router, flit, takes in zip(self._routers, into, taken, strict=True):
            router.spread.spread(flit, takes)
        return cycle

    def _awaited(self, cycle: Cycle) -> list[bool]:
        """Whether each router's parent waits for a message from it."""
        awaited = [False] * len(self._routers)
        for index, router in enumerate(self._routers):
            waits = router.waits(awaited=awaited[index])
            for branch, ports, wait in zip(router.branches, router.ports, waits, strict=True):
                if ports is not None:
                    cycle.waits[ports.member] = wait
                else:
                    awaited[self._child(branch)] = wait
        return awaited

    @staticmethod
    def _child(branch: Branch) -> int:
        assert branch.child is not None
        return branch.child

    def _write_ups(
        self,
        ups: Sequence[Sequence[Flit | None]],
        offers: Sequence[Flit | None],
        accepts: Sequence[bool],
        beats: Sequence[Beat | None],
        cycle: Cycle,
    ) -> None:
        awaited = self._awaited(cycle)
        for router, flits, accepted, waits in zip(
            self._routers, ups, accepts, awaited, strict=True
        ):
            takes, faults = router.merge(flits, ready=accepted, awaited=waits)
            cycle.faults.extend(faults)
            for place, (branch, ports) in enumerate(
                zip(router.branches, router.ports, strict=True)
            ):
                if ports is None:
                    router.ups[place].step(offers[self._child(branch)], read=takes[place])
                else:
                    member = ports.member
                    cycle.taken[member], cycle.refused[member] = ports.sender.step(
                        beats[member], ready=takes[place]
                    )


class Watchdog:
    """Finds members for whose message the group has waited for a bound of cycles.

    Parameters
    ----------
    members, bound : int
        As of `CollectiveWatchdog`.
    """

    def __init__(self, members: int, bound: int) -> None:
        self._bound = bound
        self._elapsed = 0
        self._waited = [False] * members
        self._late = [False] * members

    def step(self, waits: Sequence[bool]) -> list[bool]:
        """One cycle: for whom the group waits, and who is late."""
        late, ends = self._late, self._elapsed == self._bound - 1
        still = [was and waited for was, waited in zip(self._waited, waits, strict=True)]
        self._elapsed = 0 if ends else self._elapsed + 1
        self._waited = [ends or one for one in still]
        self._late = [
            waited and (was or (ends and one))
            for was, one, waited in zip(late, still, waits, strict=True)
        ]
        return late
