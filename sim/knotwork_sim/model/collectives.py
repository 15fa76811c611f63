"""Golden model of collectives: what a group's tree does in every cycle, in plain Python.

A router of the tree has a `Merge` on the way up and a `Spread` on the way down; a member has a
`Sender` and a `Receiver`. Each is the component of `gateware.collectives` with its name. What a
component offers depends on its registers and on what is offered to it; `step` writes its registers
at the end of the cycle, when it is known which offers were taken.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from knotwork.routing.collectives import (
    KIND_BITS,
    REDUCING,
    ROOTED,
    Branch,
    Collective,
    CollectiveTree,
    Merging,
    MessageFormat,
    Operation,
    has_skid_behind,
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


def combined(operation: Operation, one: int, other: int, width: int) -> int:
    """Beats of two messages as one, element by element."""
    bits, user_defined = operation.element_width, operation.user_defined
    half, size = 1 << (bits - 1), 1 << bits
    result = 0
    for low in range(0, width, bits):
        elements = [beat >> low & (size - 1) for beat in (one, other)]
        if operation.signed:
            elements = [element - size if element >= half else element for element in elements]
        first, second = elements
        if user_defined is None:
            element = _PAIRS[operation.name](first, second)
        else:
            element = user_defined.combine(first, second, bits)
        result |= (element & (size - 1)) << low
    return result


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
        self._phase = "checks"  # of the beat; then "header" and "within", or "drops"

    def _is_unknown(self, header: Header) -> bool:
        reduces = header.kind in REDUCING
        beyond = header.operation >= len(self._form.operations)
        names_root = header.kind in ROOTED
        outside = header.root not in self._members
        return header.kind > max(Collective) or (reduces and beyond) or (names_root and outside)

    def offer(self, beat: Beat | None) -> Flit | None:
        """Flit for the tree."""
        if beat is None or self._phase not in ("header", "within"):
            return None
        if self._phase == "within":
            return Flit(beat.data, beat.last, beat.part or beat.last, False)
        kind, operation, root = beat.header
        if kind >= Collective.BROADCAST:
            root = self._node
        elif kind not in ROOTED:
            root = 0
        operation = operation if kind in REDUCING else 0
        data = self._codec.put(Header(kind, operation, root), beat.data)
        return Flit(data, kind == Collective.BARRIER, kind >= Collective.BROADCAST, False)

    def step(self, beat: Beat | None, *, ready: bool) -> tuple[bool, bool]:
        """End a cycle: whether the beat was taken, and whether a message was refused."""
        if beat is None:
            return False, False
        refused = self._phase == "checks" and self._is_unknown(beat.header)
        taken = self._phase == "drops" or (self._phase == "within" and ready)
        if self._phase == "checks":
            self._phase = "drops" if refused else "header"
        elif self._phase == "header" and ready:
            self._phase = "drops" if beat.header.kind == Collective.BARRIER else "within"
        elif taken and beat.last:
            self._phase = "checks"
        return taken, refused


class Merge:
    """Combines the branches' messages beat by beat, or passes them one after the other.

    It offers what it has registered: the flits that go on together, or one. Where operations take
    cycles, flits are on their way for as long, and all stop together.
    """

    def __init__(self, form: MessageFormat, members: Sequence[int]) -> None:
        self._form, self._codec = form, Codec(form)
        self._members = members  # the first of each branch
        self._count = len(members)
        self._passes = False
        self._open: list[int] = []
        self._turn = self._count - 1
        self._operation = 0
        self.offered: Flit | None = None
        self._way: deque[Flit | None] = deque([None] * form.merge_cycles)
        self.waits = [False] * self._count  # for a message of each branch
        self.faults: list[Fault] = []  # of the cycle before

    @property
    def _selected(self) -> int | None:
        """Branch that sends alone in this cycle; None if all send together, or none does."""
        return self._open[0] if self._passes and self._open else None

    def _chosen(self, flits: Sequence[Flit | None]) -> int | None:
        """Branch whose message is to go on alone from the next cycle on."""
        if self._open:
            return None
        for step in range(self._count):
            branch = (self._turn + 1 + step) % self._count
            flit = flits[branch]
            if flit is not None and flit.part:
                return branch
        return None

    @property
    def _drains(self) -> bool:
        return bool(self._open) and not self._passes and len(self._open) < self._count

    def takes(self, flits: Sequence[Flit | None], *, ready: bool) -> list[bool]:
        """Whether each branch's flit is taken, if the parent takes what is offered or not."""
        if self._drains:
            return [branch in self._open for branch in range(self._count)]
        accepts, selected = ready or self.offered is None, self._selected
        if selected is not None:
            return [accepts and branch == selected for branch in range(self._count)]
        together = None not in flits and self._chosen(flits) is None
        return [accepts and together] * self._count

    def step(self, flits: Sequence[Flit | None], *, ready: bool, awaited: bool) -> None:
        """End a cycle."""
        takes, selected, chosen = (
            self.takes(flits, ready=ready),
            self._selected,
            self._chosen(flits),
        )
        moved = [flit if taken else None for flit, taken in zip(flits, takes, strict=True)]
        together = selected is None and chosen is None and not self._drains
        others = together and (awaited or any(flit is not None for flit in flits))
        self.waits = [others and flit is None for flit in flits]
        self.faults = []
        made: Flit | None = None
        if chosen is not None:
            self._turn, self._open, self._passes = chosen, [chosen], True
        elif selected is not None and (flit := moved[selected]) is not None:
            made = flit._replace(last=flit.last and self._open == [selected])
        elif together and takes[0]:
            made = self._combine([flit for flit in moved if flit is not None])
        if ready or self.offered is None:
            self._way.append(made)
            self.offered = self._way.popleft()
        self._close(moved)

    def _close(self, moved: Sequence[Flit | None]) -> None:
        for branch, flit in enumerate(moved):
            if flit is not None and flit.last and branch in self._open:
                self._open.remove(branch)

    def _combine(self, flits: Sequence[Flit]) -> Flit:
        """What goes on, of all branches' flits."""
        first, starts = flits[0], not self._open
        lasts, fault = [flit.last for flit in flits], any(flit.fault for flit in flits)
        part, differs = any(flit.part for flit in flits), any(lasts) and not all(lasts)
        if starts:
            header = self._codec.read(first)
            mixed = any(self._codec.read(flit) != header for flit in flits)
            self._operation, self._open = header.operation, [*range(self._count)]
            self._passes = header.kind == Collective.GATHER and not any(lasts)
            data, differs = first.data, differs or mixed
        else:
            operation = self._form.operations[self._operation]
            one, other = (flit.data for flit in flits)
            data = combined(operation, one, other, self._form.width)
        self._report(flits, starts=starts)
        return Flit(data, any(lasts), part, fault or differs)

    def _report(self, flits: Sequence[Flit], *, starts: bool) -> None:
        """What the others' messages have other than the first, if neither is marked."""
        first = self._codec.read(flits[0])
        for member, flit in zip(self._members[1:], flits[1:], strict=True):
            bits = (flit.last != flits[0].last) << 2
            if starts:
                other = self._codec.read(flit)
                bits |= (other[:2] != first[:2]) | (other.root != first.root) << 1
            if bits and not flit.fault and not flits[0].fault:
                self.faults.append(Fault(member, bits))


class Queue:
    """Buffer whose head is visible in the cycle after it was written."""

    def __init__(self) -> None:
        self._flits: deque[Flit] = deque()

    def ready(self, *, end: bool) -> bool:
        """Whether a flit is taken; it does not depend on what takes the head."""
        del end
        return len(self._flits) < 2

    def end(self, start: Flit | None) -> Flit | None:
        """Flit that is offered; it does not depend on what comes."""
        del start
        return self._flits[0] if self._flits else None

    def step(self, start: Flit | None, *, read: bool) -> None:
        """End a cycle in which this was offered, and the head would be taken."""
        takes = start is not None and self.ready(end=read)
        if read and self._flits:
            self._flits.popleft()
        if takes and start is not None:
            self._flits.append(start)


class Skid:
    """Wire that keeps a flit which was not taken."""

    def __init__(self) -> None:
        self._kept: Flit | None = None

    def ready(self, *, end: bool) -> bool:
        """Whether a flit is taken; it does not depend on what is taken at the end."""
        del end
        return self._kept is None

    def end(self, start: Flit | None) -> Flit | None:
        """Flit that is offered."""
        return start if self._kept is None else self._kept

    def step(self, start: Flit | None, *, read: bool) -> None:
        """End a cycle in which this was offered, and the end would be taken."""
        self._kept = None if read else self.end(start)


class Link:
    """Buffers along a link; without any, a wire."""

    def __init__(self, cycles: int, *, skid: bool) -> None:
        self._parts = [*(Queue() for _ in range(cycles)), *(Skid() for _ in range(skid))]

    def end(self, start: Flit | None) -> Flit | None:
        """Flit that is offered at the end."""
        for part in self._parts:
            start = part.end(start)
        return start

    def ready(self, *, end: bool) -> bool:
        """Whether a flit is taken at the start."""
        return self._parts[0].ready(end=end) if self._parts else end

    def step(self, start: Flit | None, *, read: bool) -> None:
        """End a cycle in which this was offered, and the end would be taken."""
        ready = [*(part.ready(end=read) for part in self._parts[1:]), read]
        for part, taken in zip(self._parts, ready):  # noqa: B905
            came, start = start, part.end(start)
            part.step(came, read=taken)


class Merges:
    """Merges of a router's branches, two at a time; skid buffers stand between some.

    Parameters
    ----------
    form : MessageFormat
        Widths and operations.
    merging : tuple
        As of `TreeRouter`.
    members : sequence of int
        The first of each branch.
    """

    def __init__(self, form: MessageFormat, merging: Merging, members: Sequence[int]) -> None:
        self._parts: list[int | Merges] = []
        for part in merging if isinstance(merging, tuple) else ():
            self._parts.append(part if isinstance(part, int) else Merges(form, part, members))
        self.places: list[int] = [  # of the branches
            place
            for part in self._parts
            for place in ([part] if isinstance(part, int) else part.places)
        ]
        firsts = [part if isinstance(part, int) else part.places[0] for part in self._parts]
        self._merge = Merge(form, [members[first] for first in firsts])
        self._links = [
            Link(0, skid=has_skid_behind(part))
            for part in (merging if isinstance(merging, tuple) else ())
        ]

    @property
    def offered(self) -> Flit | None:
        """Flit that they combine to."""
        return self._merge.offered

    @property
    def waits(self) -> list[bool]:
        """Whether the group waits for a message of each branch."""
        found: list[bool] = []
        for part, wait in zip(self._parts, self._merge.waits, strict=True):
            found += [wait] if isinstance(part, int) else part.waits
        return found

    @property
    def faults(self) -> list[Fault]:
        """Messages that were found to differ."""
        found = [*self._merge.faults]
        for part in self._parts:
            found += [] if isinstance(part, int) else part.faults
        return found

    def _ends(self, flits: Sequence[Flit | None]) -> list[Flit | None]:
        """Flits in front of the last merge."""
        return [
            flits[part] if isinstance(part, int) else link.end(part.offered)
            for part, link in zip(self._parts, self._links, strict=True)
        ]

    def takes(self, flits: Sequence[Flit | None], *, ready: bool) -> list[bool]:
        """Whether each branch's flit is taken, if the parent takes what is offered or not."""
        found: list[bool] = []
        takes = self._merge.takes(self._ends(flits), ready=ready)
        for part, link, taken in zip(self._parts, self._links, takes, strict=True):
            if isinstance(part, int):
                found.append(taken)
            else:
                found += part.takes(flits, ready=link.ready(end=taken))
        return found

    def step(self, flits: Sequence[Flit | None], *, ready: bool, awaited: bool) -> None:
        """End a cycle."""
        ends, waits = self._ends(flits), self._merge.waits
        takes = self._merge.takes(ends, ready=ready)
        for part, link, taken, wait in zip(self._parts, self._links, takes, waits, strict=True):
            if not isinstance(part, int):
                offered, accepts = part.offered, link.ready(end=taken)
                part.step(flits, ready=accepts, awaited=wait)
                link.step(offered, read=taken)
        self._merge.step(ends, ready=ready, awaited=awaited)


class Coming(NamedTuple):
    """Flit that a spread takes for a branch, and what it knows of it.

    Members
    -------
    flit : Flit
        The flit.
    within : bool
        It is behind its message's header.
    is_mask, ends_mask : bool
        Whether it is of a multicast's mask, and the last beat of that.
    named : bool
        Whether the mask names the branch, that flit included.
    """

    flit: Flit
    within: bool
    is_mask: bool = False
    ends_mask: bool = False
    named: bool = False


class Receiver:
    """Takes the header off a message for a node, and what else is not for it."""

    def __init__(self, form: MessageFormat, place: int, *, is_final: bool) -> None:
        self._form, self._place, self._codec = form, place, Codec(form)
        self._is_final = is_final
        self._header = Header(0)
        self._marked = self._served = False
        self._part = 0
        self.beat: Beat | None = None  # of the flit that was taken last

    def take(self, coming: Coming) -> bool:
        """Whether a flit that is taken is a beat for the node."""
        flit = coming.flit
        if not coming.within:
            self._header, self._marked = self._codec.read(flit), flit.fault
            self._part, self._served = 0, False
            self.beat = Beat(flit.data, flit.last, flit.part, self._header, flit.fault)
            return flit.last
        last, fault = flit.last, flit.fault or self._marked
        if coming.is_mask:
            fault = fault or not coming.ends_mask
            delivers = flit.last and coming.named
        elif self._header.kind == Collective.SCATTER:
            is_mine = self._part == self._place and not self._served
            delivers = is_mine or (flit.last and not self._served)
            excess = self._is_final and flit.part and not flit.last
            last, fault = flit.last or flit.part, fault or not is_mine or excess
            self._served = self._served or (flit.part and is_mine)
            self._part += flit.part
        else:
            delivers = True
        self.beat = Beat(flit.data, last, flit.part, self._header, fault)
        return delivers


class Spread:
    """Copies each message to the branches that it is for."""

    def __init__(
        self, form: MessageFormat, branches: Sequence[Sequence[int]], *, is_centre: bool
    ) -> None:
        self._form, self._codec = form, Codec(form)
        self._branches, self._is_centre = branches, is_centre
        self._count = len(branches)
        self._flit = Flit(0, last=False, part=False, fault=False)
        self._owed = [False] * self._count
        self._within = self._masks = False
        self._mask = self._beat = 0
        self._aimed = [False] * self._count  # of a multicast those named so far

    def offers(self) -> list[Flit | None]:
        """Flit for each branch."""
        return [self._flit if owes else None for owes in self._owed]

    def ready(self, ready: Sequence[bool]) -> bool:
        """Whether a flit is taken, where these branches are ready."""
        return all(taken or not owes for owes, taken in zip(self._owed, ready, strict=True))

    def step(
        self, flit: Flit | None, ready: Sequence[bool], receivers: Sequence[Receiver | None]
    ) -> None:
        """End a cycle in which this was offered, and these branches were ready."""
        accepts = self.ready(ready)
        self._owed = [owes and not taken for owes, taken in zip(self._owed, ready, strict=True)]
        if accepts and flit is not None:
            self._flit = flit
            coming = self._take(flit)
            self._owed = [
                one is not None and (receiver is None or receiver.take(one))
                for one, receiver in zip(coming, receivers, strict=True)
            ]

    def _take(self, flit: Flit) -> list[Coming | None]:
        """What each branch gets of a flit; None where it is not for the branch."""
        if not self._within:
            targets = self._start(flit)
            return [Coming(flit, False) if target else None for target in targets]
        is_mask, ends_mask = self._masks, False
        goes_on = True
        if is_mask:
            self._mask |= flit.data << (self._beat * self._form.width)
            self._beat += 1
            self._aimed = [any(self._mask >> node & 1 for node in part) for part in self._branches]
            ends_mask = self._beat == self._form.mask_beats
            self._masks = not ends_mask
            goes_on = not ends_mask or any(self._aimed) or self._is_centre
        self._within = not flit.last and goes_on
        return [
            Coming(flit, True, is_mask, ends_mask, aimed) if is_mask or aimed else None
            for aimed in self._aimed
        ]

    def _start(self, flit: Flit) -> list[bool]:
        """Branches that a header is for."""
        header = self._codec.read(flit)
        self._within, self._mask, self._beat = not flit.last, 0, 0
        self._masks = header.kind == Collective.MULTICAST
        everyone = [True] * self._count
        if self._masks:
            self._aimed = [False] * self._count
            return everyone
        names_root = header.kind in ROOTED
        self._aimed = everyone
        if names_root and not flit.fault and self._count > 1:
            self._aimed = [header.root in part for part in self._branches]
        return self._aimed


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
    """Router of the tree, with its members' ports, and the links to its children."""

    def __init__(self, tree: CollectiveTree, form: MessageFormat, index: int) -> None:
        self.branches = tree.routers[index].branches
        merges = len(self.branches) > 1
        members = [branch.members[0] for branch in self.branches]
        self.merge = Merges(form, tree.routers[index].merging, members) if merges else None
        below = [branch.members for branch in self.branches]
        self.spread = Spread(form, below, is_centre=index == 0)
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
        self.ups, self.downs = [], []
        for branch in self.branches:
            is_link = branch.child is not None
            # A merge has a register for each branch, and a spread one for all.
            skid = is_link and tree.has_skid_up(branch)
            self.ups.append(Link(branch.up - merges, skid=skid))
            skid = is_link and tree.has_skid_down(branch)
            self.downs.append(Link(branch.down - 1, skid=skid))

    def offer(self, flits: Sequence[Flit | None]) -> Flit | None:
        """Flit for the parent; a router with one branch passes it on."""
        return flits[0] if self.merge is None else self.merge.offered

    def takes(self, flits: Sequence[Flit | None], *, ready: bool) -> list[bool]:
        """Whether the flit of each branch is taken."""
        return [ready] if self.merge is None else self.merge.takes(flits, ready=ready)

    def waits(self, *, awaited: bool) -> list[bool]:
        """Whether the group waits for a message of each branch, if it waits for one from here."""
        return [awaited] if self.merge is None else self.merge.waits


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
        self._turn = Queue()

    def step(self, beats: Sequence[Beat | None], ready: Sequence[bool]) -> Cycle:
        """One cycle: beats that members offer, and whether each takes what is offered to it."""
        count = len(self.members)
        cycle = Cycle([None] * count, *([False] * count for _ in range(3)), faults=[])
        awaited = self._awaited(cycle)
        # All is decided by the registers of the cycle's start; then they are written.
        up, down = self._up(beats), self._down(ready)
        into = self._turn.end(up.offers[0])
        self._turn.step(up.offers[0], read=down.accepts[0])
        self._write_down(into, ready, down, cycle)
        self._write_up(beats, awaited, up, cycle)
        return cycle

    def _up(self, beats: Sequence[Beat | None]) -> "_Up":
        """Flits on the way up, and which are taken."""
        count = len(self._routers)
        up = _Up([[] for _ in range(count)], [None] * count, [False] * count, [[]] * count)
        for index, router in reversed([*enumerate(self._routers)]):
            for branch, ports, link in zip(router.branches, router.ports, router.ups, strict=True):
                if ports is not None:
                    up.flits[index].append(ports.sender.offer(beats[ports.member]))
                else:
                    up.flits[index].append(link.end(up.offers[_child(branch)]))
            up.offers[index] = router.offer(up.flits[index])
        up.accepts[0] = self._turn.ready(end=False)
        for index, router in enumerate(self._routers):
            takes = up.takes[index] = router.takes(up.flits[index], ready=up.accepts[index])
            for branch, link, taken in zip(router.branches, router.ups, takes, strict=True):
                if branch.child is not None:
                    up.accepts[branch.child] = link.ready(end=taken)
        return up

    def _down(self, ready: Sequence[bool]) -> "_Down":
        """Which flits are taken on the way down."""
        down = _Down([[] for _ in self._routers], [False] * len(self._routers))
        for index, router in reversed([*enumerate(self._routers)]):
            for place, ports in enumerate(router.ports):
                if ports is not None:
                    takes = ready[ports.member]
                else:
                    child = _child(router.branches[place])
                    takes = router.downs[place].ready(end=down.accepts[child])
                down.ready[index].append(takes)
            down.accepts[index] = router.spread.ready(down.ready[index])
        return down

    def _awaited(self, cycle: Cycle) -> list[bool]:
        """Whether each router's parent waits for a message from it; what was found to differ."""
        awaited = [False] * len(self._routers)
        for index, router in enumerate(self._routers):
            waits = router.waits(awaited=awaited[index])
            for branch, ports, wait in zip(router.branches, router.ports, waits, strict=True):
                if ports is not None:
                    cycle.waits[ports.member] = wait
                else:
                    awaited[_child(branch)] = wait
            if router.merge is not None:
                cycle.faults.extend(router.merge.faults)
        return awaited

    def _write_down(
        self, into: Flit | None, ready: Sequence[bool], down: "_Down", cycle: Cycle
    ) -> None:
        arriving = [into] * len(self._routers)
        for index, router in enumerate(self._routers):
            offers = router.spread.offers()
            for place, ports in enumerate(router.ports):
                if ports is None:
                    child = _child(router.branches[place])
                    arriving[child] = router.downs[place].end(offers[place])
                    router.downs[place].step(offers[place], read=down.accepts[child])
                elif offers[place] is not None:
                    cycle.answers[ports.member] = ports.receiver.beat
            receivers = [None if ports is None else ports.receiver for ports in router.ports]
            router.spread.step(arriving[index], down.ready[index], receivers)

    def _write_up(
        self, beats: Sequence[Beat | None], awaited: Sequence[bool], up: "_Up", cycle: Cycle
    ) -> None:
        for index, router in enumerate(self._routers):
            takes = up.takes[index]
            for branch, ports, link, taken in zip(
                router.branches, router.ports, router.ups, takes, strict=True
            ):
                if ports is None:
                    link.step(up.offers[_child(branch)], read=taken)
                else:
                    member = ports.member
                    cycle.taken[member], cycle.refused[member] = ports.sender.step(
                        beats[member], ready=taken
                    )
            if router.merge is not None:
                router.merge.step(up.flits[index], ready=up.accepts[index], awaited=awaited[index])


class _Up(NamedTuple):
    """Way up in a cycle, by router: flits of the branches and of itself, and which are taken."""

    flits: list[list[Flit | None]]
    offers: list[Flit | None]
    accepts: list[bool]
    takes: list[list[bool]]


class _Down(NamedTuple):
    """Way down in a cycle, by router: branches that are ready, and whether a flit is taken."""

    ready: list[list[bool]]
    accepts: list[bool]


def _child(branch: Branch) -> int:
    assert branch.child is not None
    return branch.child


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
