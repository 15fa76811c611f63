"""Buffers of an input port by which broadcasts come that are copied here."""

from amaranth.hdl import Assert, Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from ....network import Network, RouterKind
from ....untyped import View
from ...layouts import label_width
from ...parts.arbiter import is_one_hot_or_zero
from ...parts.crossbar import one_hot_mux
from ...parts.network_routes import branch_computation
from ...parts.route import BranchComputation, RouteComputation
from .copy_queue import CopyQueue
from .port_buffer import PortBuffer, assign_ways
from .turn_queue import TurnQueue


class CopyBuffer(PortBuffer):
    """Buffers of an input port; an entry has a bit for each way that its flit takes.

    The gates of a broadcast's branches stand in it twice: before the RAMs for the ways, and
    behind the RAM for the labels, which need no place in either.

    Latency
    -------
    As of `PortBuffer`.

    Parameters
    ----------
    network, kind, port
        As for `PortBuffer`.

    Members
    -------
    address, arrives, i, shown, leaves, asked, some, more, full, behind, other, arriving, flit
        As of `PortBuffer`; `behind`, `other` and `arriving` have a bit for each way.
    again, last : In(1)
        Another copy of the packet shown follows; the flit shown is its packet's last.
    cancel : In(channels)
        Drop the flits of the broadcast that is not complete; only from a node.
    seen : Out(channels)
        One-hot: a flit of the channel can be read in the next cycle; `arriving` tells its ways.
    arriving_last : Out(1)
        It is its packet's last.
    labels : Out(label_width).array(ways)
        Label of the copy of `flit` that takes the way.
    """

    again: Signal
    cancel: Signal
    seen: Signal
    arriving_last: Signal
    labels: list[Signal]

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._from_node = port in kind.node_ports
        branch = branch_computation(network)
        turns = {vc: kind.branches(port, vc) for vc in kind.input_vcs(port)}
        self._branches, self._labellers = (
            {vc: branch(network, ways, router=kind.router) for vc, ways in turns.items() if ways}
            for _ in range(2)
        )
        super().__init__(network, kind, port)

    @property
    def branching(self) -> list[int]:
        """Places, in the order of `arrives`, of the channels whose packets are copied."""
        return [place for place, vc in enumerate(self.routes) if vc in self._branches]

    @property
    def labelled(self) -> set[int]:
        """Numbers of the ways that copies take."""
        branches = self._branches.values()
        return {self._number(turn) for branch in branches for turn in branch.turns}

    def _members(self, count: int) -> dict[str, Member]:
        more: dict[str, Member] = {
            "again": In(1),
            "last": In(1),
            "seen": Out(count),
            "arriving_last": Out(1),
            "labels": Out(label_width(self._network)).array(len(self._ways)),
        }
        if self._from_node:
            more["cancel"] = In(count)
        return super()._members(count) | more

    def _entry(self, way: Value) -> Value:
        return way

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        self._label(m)
        return m

    def _way(self, m: Module, vc: int, route: RouteComputation | None, arrives: Value) -> Value:
        if vc not in self._branches:
            return super()._way(m, vc, route, arrives)
        way, broadcast = Signal(len(self._ways), name=f"way_vc{vc}"), self.i.broadcast
        selects = [(place, one & ~broadcast) for place, one in self._alone(m, vc, route)]
        m.submodules[f"branch_vc{vc}"] = branch = self._branches[vc]
        self._ask(m, branch, self.i)
        for number, turn in enumerate(branch.turns):
            selects.append((self._number(turn), branch.select[number] & broadcast))
        assign_ways(m, way, selects)
        m.d.sync += Assert(
            ~arrives | (way.any() & (broadcast | is_one_hot_or_zero(way))),
            "port buffer: a flit must take one turn of its router, or a broadcast's",
        )
        return way

    def _ask(self, m: Module, branch: BranchComputation, flit: View) -> None:
        """Ask for the branches of a flit."""
        bits = label_width(self._network)
        m.d.comb += [
            branch.address.eq(self.address),
            branch.source.eq(flit.source),
            branch.label.eq(Value.cast(flit.destination)[:bits]),
        ]

    def _make_queue(self, vc: int) -> TurnQueue:
        if vc not in self._branches:
            return super()._make_queue(vc)
        return CopyQueue(from_node=self._from_node, depth=self._depth)

    def _queue(self, m: Module, vc: int, place: int) -> TurnQueue:
        queue = super()._queue(m, vc, place)
        if not isinstance(queue, CopyQueue):
            m.d.comb += self.seen[place].eq(self.arrives[place])
            return queue
        m.d.comb += [
            queue.again.eq(self.again),
            queue.last.eq(self.last),
            self.seen[place].eq(queue.seen),
        ]
        if self._from_node:
            m.d.comb += [
                queue.partly.eq(self.i.broadcast & ~self.i.last),
                queue.cancel.eq(self.cancel[place]),
            ]
        return queue

    def _rams(self, m: Module, queues: list[TurnQueue]) -> None:
        super()._rams(m, queues)
        parts = [queue.several for queue in queues if isinstance(queue, CopyQueue)]
        whole = [self.arrives[place] for place in self.branching]
        several = Cat(a & b for a, b in zip(parts, whole, strict=True)).any()
        last = self.i.last & ~several if self._from_node else self.i.last
        m.d.comb += self.arriving_last.eq(last)

    def _label(self, m: Module) -> None:
        """Labels of the copies of the flit shown; a packet to one node keeps its destination."""
        kept = Value.cast(self.flit.destination)[: label_width(self._network)]
        labels: dict[int, list[tuple[Value, Value]]] = {}
        for place, (vc, branch) in zip(self.branching, self._labellers.items(), strict=True):
            m.submodules[f"label_vc{vc}"] = branch
            self._ask(m, branch, self.flit)
            for number, turn in enumerate(branch.turns):
                found = labels.setdefault(self._number(turn), [])
                found.append((self.shown[place], branch.labels[number]))
        for number, values in labels.items():
            label = one_hot_mux(*zip(*values, strict=True))
            m.d.comb += self.labels[number].eq(Mux(self.flit.broadcast, label, kept))
        for number in set(range(len(self._ways))) - set(labels):
            m.d.comb += self.labels[number].eq(kept)
