"""A group's tree as a component: senders, merges and spreads, and what joins them."""

from functools import reduce
from operator import or_
from typing import NamedTuple

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...routing.collectives import (
    FAULTS,
    Branch,
    CollectiveTree,
    Merging,
    MessageFormat,
    has_skid_behind,
)
from ..parts.buffer import REGISTER_DEPTH, Buffer, SkidBuffer
from .merge import CollectiveMerge
from .messages import flit_layout, received_layout, sent_layout
from .port import CollectiveReceiver, CollectiveSender, place_codes
from .spread import CollectiveSpread
from .watchdog import CollectiveWatchdog


def group_signature(
    form: MessageFormat, *, members: int, has_watchdog: bool = False
) -> wiring.Signature:
    """Ports of a group's tree.

    Parameters
    ----------
    form : MessageFormat
        Widths and operations.
    members : int
        Nodes of the group.
    has_watchdog : bool
        It has the member `late`.

    Members
    -------
    send, receive, refused, fault, waits, late
        See `CollectiveGroup`.
    """
    ports = {
        "send": In(stream.Signature(sent_layout(form))).array(members),
        "receive": Out(stream.Signature(received_layout(form))).array(members),
        "refused": Out(members),
        "fault": Out(len(FAULTS)).array(members),
        "waits": Out(members),
    }
    return wiring.Signature(ports | ({"late": Out(members)} if has_watchdog else {}))


class _Merged(NamedTuple):
    """Branches as one: its stream, the first of them, who is waited for, and faults by branch."""

    o: stream.Interface
    place: int
    waits: list[Value]
    faults: list[tuple[int, Signal]]


class CollectiveGroup(wiring.Component):
    """Tree of a group.

    Latency
    -------
    From the offer of the last member's first beat to the last beat of the answer at the furthest
    one see `CollectiveTree.answer_cycles`.

    Parameters
    ----------
    tree : CollectiveTree
        Members, and the links.
    form : MessageFormat
        Widths and operations.
    watchdog : int
        Report a member for whose message the group waits for this many cycles; 0 for no watchdog.

    Members
    -------
    send : In(stream of sent_layout(form)).array(members)
        Of each member, in the order of `tree.members`.
    receive : Out(stream of received_layout(form)).array(members)
        Of each member.
    refused : Out(members)
        High for a cycle for each message that a member could not start.
    fault : Out(len(FAULTS)).array(members)
        What a message of a member has other than the first of its group's.
    waits : Out(members)
        The group waits for a message of the member.
    late : Out(members)
        It waits for too long, see `CollectiveWatchdog`; only with a watchdog.

    Raises
    ------
    ConfigurationError
        The messages are for another number of nodes than the tree's network has.
    """

    send: list[stream.Interface]
    receive: list[stream.Interface]
    refused: Signal
    fault: list[Signal]
    waits: Signal
    late: Signal

    def __init__(self, tree: CollectiveTree, form: MessageFormat, *, watchdog: int = 0) -> None:
        tree.require_fit(form)
        self._tree = tree
        self._form = form
        self._watchdog = watchdog
        members = len(tree.members)
        super().__init__(group_signature(form, members=members, has_watchdog=watchdog > 0))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        tree, form = self._tree, self._form
        number = {node: place for place, node in enumerate(tree.members)}
        codes, order = place_codes(form), tree.order
        # Ends of the tree's links: what a router gives to its parent, and gets from it.
        ups: dict[int, stream.Interface] = {}
        downs: dict[int, stream.Interface] = {}
        awaited: dict[int, Signal] = {}
        faults: dict[int, list[Signal]] = {}
        for index in reversed(range(len(tree.routers))):
            router = tree.routers[index]
            name = tree.topology.router_identifier(router.router)
            m.submodules[f"spread_{name}"] = spread = CollectiveSpread(
                form, branches=len(router.branches)
            )
            downs[index] = spread.i
            m.d.comb += spread.is_centre.eq(index == 0)
            inputs, waits = [], []
            merges = len(router.branches) > 1
            for branch, given, members, named, delivers in zip(
                router.branches,
                spread.o,
                spread.members,
                spread.named,
                spread.delivers,
                strict=True,
            ):
                m.d.comb += members.eq(sum(1 << node for node in branch.members))
                if branch.node is not None:
                    sender = m.submodules[f"send_{branch.node}"] = CollectiveSender(form)
                    receiver = m.submodules[f"receive_{branch.node}"] = CollectiveReceiver(form)
                    member, place = number[branch.node], order.index(branch.node)
                    wiring.connect(m, wiring.flipped(self.send[member]), sender.i)
                    wiring.connect(m, receiver.o, wiring.flipped(self.receive[member]))
                    wiring.connect(m, given, receiver.i)
                    m.d.comb += [
                        sender.node.eq(branch.node),
                        sender.members.eq(sum(1 << node for node in tree.members)),
                        receiver.previous.eq(codes[place - 1]),
                        receiver.is_first.eq(place == 0),
                        receiver.is_final.eq(branch.node == order[-1]),
                        receiver.came.eq(spread.i.p),
                        receiver.takes.eq(spread.takes),
                        receiver.headed.eq(spread.headed),
                        receiver.is_mask.eq(spread.is_mask),
                        receiver.ends_mask.eq(spread.ends_mask),
                        receiver.named.eq(named),
                        delivers.eq(receiver.delivers),
                        self.refused[member].eq(sender.refused),
                    ]
                    inputs.append(sender.o)
                    waits.append(self.waits[member])
                else:
                    assert branch.child is not None
                    m.d.comb += delivers.eq(1)
                    ends = downs[branch.child], ups[branch.child]
                    inputs.append(self._join(m, branch, given, *ends, merges=merges))
                    waits.append(awaited[branch.child])
            awaits = awaited[index] = Signal(name=f"awaited_{name}")
            merged = self._merge(m, f"merge_{name}", router.merging, inputs, awaits)
            ups[index] = merged.o
            for wait, bit in zip(waits, merged.waits, strict=True):
                m.d.comb += wait.eq(bit)
            for place, fault in merged.faults:
                faults.setdefault(router.branches[place].members[0], []).append(fault)
        wiring.connect(m, self._along(m, "turn", ups[0], 1, skid=False), downs[0])
        for node, found in faults.items():
            m.d.comb += self.fault[number[node]].eq(reduce(or_, found))
        if self._watchdog:
            m.submodules.watchdog = watchdog = CollectiveWatchdog(
                members=len(tree.members), bound=self._watchdog
            )
            m.d.comb += [watchdog.waits.eq(self.waits), self.late.eq(watchdog.late)]
        return m

    def _merge(
        self,
        m: Module,
        name: str,
        merging: Merging,
        inputs: list[stream.Interface],
        awaited: Value,
    ) -> _Merged:
        """Combine the messages of branches, two at a time."""
        if isinstance(merging, int):
            return _Merged(inputs[merging], merging, [awaited], [])
        merge = m.submodules[name] = CollectiveMerge(self._form)
        m.d.comb += merge.awaited.eq(awaited)
        sides = []
        for number, (side, part) in enumerate(zip(("first", "second"), merging, strict=True)):
            found = self._merge(m, f"{name}_{side}", part, inputs, merge.waits[number])
            skid = has_skid_behind(part)
            wiring.connect(
                m, self._along(m, f"{name}_{side}", found.o, 0, skid=skid), merge.i[number]
            )
            sides.append(found)
        one, other = sides
        faults = [(one.place, merge.fault[0]), (other.place, merge.fault[1])]
        return _Merged(
            merge.o,
            one.place,
            one.waits + other.waits,
            [*faults, *one.faults, *other.faults],
        )

    def _join(
        self,
        m: Module,
        branch: Branch,
        given: stream.Interface,
        child: stream.Interface,
        came: stream.Interface,
        *,
        merges: bool,
    ) -> stream.Interface:
        """Lay a link to a child: what goes there, where it arrives, what comes, where it does."""
        assert branch.child is not None
        router = self._tree.routers[branch.child].router
        name = self._tree.topology.router_identifier(router)
        # A merge has a register for each branch, and a spread one for all.
        skid = self._tree.has_skid_down(branch)
        end = self._along(m, f"down_{name}", given, branch.down - 1, skid=skid)
        wiring.connect(m, end, child)
        skid = self._tree.has_skid_up(branch)
        return self._along(m, f"up_{name}", came, branch.up - merges, skid=skid)

    def _along(
        self, m: Module, name: str, start: stream.Interface, cycles: int, *, skid: bool
    ) -> stream.Interface:
        """End of a link that takes so many cycles; a skid buffer registers its `ready`."""
        layout = flit_layout(self._form)
        buffers: dict[str, Buffer | SkidBuffer] = {}
        for cycle in range(cycles):
            place = name if cycles == 1 else f"{name}_cycle{cycle}"
            buffers[place] = Buffer(layout, depth=REGISTER_DEPTH)
        if skid:
            buffers[f"{name}_skid"] = SkidBuffer(layout)
        for place, buffer in buffers.items():
            m.submodules[place] = buffer
            wiring.connect(m, start, buffer.i)
            start = buffer.o
        return start
