"""Input ports by which broadcasts come that are copied here: queue, buffer and front."""

from collections.abc import Hashable
from typing import NamedTuple

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...output_ways import OutputClass, output_classes
from ...untyped import Interface, Statement, View
from ..component import explain, frozen
from ..layouts import flit_layout, label_width
from ..parts.arbiter import is_one_hot_or_zero, next_after
from ..parts.buffer import SHIFTED, following, shifts
from ..parts.crossbar import one_hot_mux
from ..parts.network_routes import branch_computation
from ..parts.route import BranchComputation
from .front import OneHotRegister, next_channel
from .input_buffer import InputBuffer, TurnQueue
from .input_port import FrontPort
from .inputs import assign_selected, completed


class CopyQueue(TurnQueue):
    """Places of an input channel's flits whose packets may leave several times, once per copy.

    A copy reads the packet from its first flit to its last; the last copy frees the flits. In a
    channel from a node, a broadcast can be read once it is complete, and may be dropped before.

    Latency
    -------
    1 cycle from `arrives` to `nonempty`.

    Parameters
    ----------
    depth : int
        As of `TurnQueue`.
    from_node : bool
        The channel comes from a node.

    Members
    -------
    arrives, leaves, nonempty, at_least_two, full, into, head, behind
        As of `TurnQueue`; `nonempty` and `at_least_two` count the flits that the copy has not read.
    repeats : In(1)
        The packet whose flit leaves is read once more, for another copy.
    last : In(1)
        That flit is its packet's last.
    seen : Out(1)
        A flit can be read in the next cycle: the one that arrives, or the packet that it completes.
    several : Out(1)
        It completes a packet of several flits.
    partly : In(1)
        The flit that arrives cannot be read before the last of its packet; only from a node.
    cancel : In(1)
        Drop the flits that cannot be read; only from a node, and not with `arrives`.
    """

    repeats: Signal
    last: Signal
    seen: Signal
    several: Signal
    partly: Signal
    cancel: Signal

    def __init__(self, *, depth: int, from_node: bool) -> None:
        self._from_node = from_node
        more: dict[str, Member] = {
            "repeats": In(1),
            "last": In(1),
            "seen": Out(1),
            "several": Out(1),
        }
        if from_node:
            more |= {"partly": In(1), "cancel": In(1)}
        super().__init__(depth=depth, more=more)

    @property
    def variant(self) -> str:
        return f"{self._depth}" + "_from_node" * self._from_node

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self._depth
        into_after, third, base = (
            Signal.like(self.head, name=name) for name in ("into_after", "third", "base")
        )
        self.base, self.end = base, (end := self._end(m, into_after))
        free = Signal(name="free")
        m.d.comb += [
            into_after.eq(following(self.into, depth)),
            self.behind.eq(following(self.head, depth)),
            third.eq(following(self.behind, depth)),
            free.eq(self.leaves & ~self.repeats),
        ]
        if shifts(depth):
            explain(into_after, SHIFTED)
        rewinds = Signal(name="rewinds")
        m.d.comb += rewinds.eq(self.repeats & self.last)
        with m.If(self.leaves):
            m.d.sync += self.head.eq(Mux(rewinds, base, self.behind))
        with m.If(free):
            m.d.sync += base.eq(self.behind)
        # A packet of one flit is not read again: all its copies leave before it does.
        left, stays = Signal(name="two_if_left"), Signal(name="two_if_not")
        fills = self.arrives & (into_after == base)
        m.d.comb += [
            left.eq(
                rewinds
                | (self.at_least_two & (self.seen | (third != end)))
                | (self.seen & self.several)
            ),
            stays.eq(self.at_least_two | (self.seen & (self.nonempty | self.several))),
        ]
        empties = self.leaves & ~self.at_least_two & ~rewinds
        m.d.sync += [
            self.nonempty.eq(self.seen | (self.nonempty & ~empties)),
            self.at_least_two.eq((left & self.leaves) | (stays & ~self.leaves)),
            self.full.eq(~free & (self.full | fills)),
            Assert(~(self.arrives & self.full), "queue: a flit must not arrive without a place"),
            Assert(self.nonempty | ~self.leaves, "queue: only a flit that is there can leave"),
        ]
        if self._from_node:
            with m.If(self.cancel):
                m.d.sync += self.full.eq(0)
        return m

    def _end(self, m: Module, into_after: Signal) -> Signal:
        """Place behind the last flit that can be read."""
        with m.If(self.arrives):
            m.d.sync += self.into.eq(into_after)
        if not self._from_node:
            m.d.comb += self.seen.eq(self.arrives)
            return self.into
        end = Signal.like(self.into, name="committed")
        m.d.comb += [
            self.seen.eq(self.arrives & ~self.partly),
            self.several.eq(self.into != end),
        ]
        with m.If(self.seen):
            m.d.sync += end.eq(into_after)
        with m.If(self.cancel):
            m.d.sync += self.into.eq(end)
        return end


class CopyBuffer(InputBuffer):
    """Buffers of an input port; an entry has a bit for each way that its flit takes.

    The gates of a broadcast's branches stand in it twice: before the RAMs for the ways, and
    behind the RAM for the labels, which need no place in either.

    Latency
    -------
    As of `InputBuffer`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`.

    Members
    -------
    arrives, i, select_vc0, ..., front_vc, leaves, other_channel, nonempty, at_least_two, full,
    behind, other, arriving, flit
        As of `InputBuffer`; `behind`, `other` and `arriving` have a bit for each way.
    address : In(address_width)
        The router's own address.
    repeats, last : In(1)
        As of `CopyQueue`.
    cancel : In(channels)
        Drop the flits of the broadcast that is not complete; only from a node.
    seen : Out(channels)
        One-hot: a flit of the channel can be read in the next cycle; `arriving` has its ways.
    arriving_last : Out(1)
        It is its packet's last.
    labels : Out(label_width).array(ways)
        Label of the copy of `flit` that takes the way.
    """

    address: Signal
    repeats: Signal
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
    def parameters(self) -> Hashable:
        """As of `InputBuffer`, what is known of a flit, and the gates of its branches."""
        known = (self._known, frozen(flit_layout(self._network)), self._from_node)
        branches = tuple(
            (vc, type(branch), branch.parameters, tuple(map(self._number, branch.turns)))
            for vc, branch in self._branches.items()
        )
        return super().parameters, known, branches

    @property
    def branching(self) -> list[int]:
        """Places, in the order of `arrives`, of the channels whose packets are copied."""
        return [place for place, vc in enumerate(self.turns) if vc in self._branches]

    @property
    def labelled(self) -> set[int]:
        """Numbers of the ways that copies take."""
        branches = self._branches.values()
        return {self._number(turn) for branch in branches for turn in branch.turns}

    def _members(self, count: int) -> dict[str, Member]:
        more: dict[str, Member] = {
            "address": In(self._network.topology.address_width),
            "repeats": In(1),
            "last": In(1),
            "seen": Out(count),
            "arriving_last": Out(1),
            "labels": Out(label_width(self._network)).array(len(self._output_classes)),
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

    def _found(self, m: Module, vc: int) -> Value:
        if vc not in self._branches:
            return super()._found(m, vc)
        way, broadcast = Signal(len(self._output_classes), name=f"way_vc{vc}"), self.i.broadcast
        selects = [(place, one & ~broadcast) for place, one in self._unicast_selects(vc)]
        m.submodules[f"branch_vc{vc}"] = branch = self._branches[vc]
        self._connect_branch(m, branch, self.i)
        for number, turn in enumerate(branch.turns):
            selects.append((self._number(turn), branch.select[number] & broadcast))
        assign_selected(m, way, selects)
        return way

    def _cancels(self, vc: int) -> Value | None:
        return self.cancel[list(self.turns).index(vc)] if self._from_node else None

    def _check(self, m: Module, vc: int, arrives: Value, ways: Value) -> None:
        if vc not in self._branches:
            super()._check(m, vc, arrives, ways)
            return
        # With parity the mark of a broadcast may be wrong, but in the first flit of a packet.
        several = self.i.broadcast if self._guard is None else 1
        m.d.sync += Assert(
            ~arrives | (ways.any() & (several | is_one_hot_or_zero(ways))),
            "port buffer: a flit must take a turn, and several only in a broadcast",
        )

    def _complete_flit(self, stored: View) -> View:
        """Flit of which this is stored."""
        layout = flit_layout(self._network)
        bits = completed(layout(Signal(layout)), self._known, self.address, Value.cast(stored))
        return layout(bits)

    def _connect_branch(self, m: Module, branch: BranchComputation, stored: View) -> None:
        """Ask for the branches of a flit of which this is stored."""
        bits, flit = label_width(self._network), self._complete_flit(stored)
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
            queue.repeats.eq(self.repeats),
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
        completes = [self.arrives[place] for place in self.branching]
        several = Cat(a & b for a, b in zip(parts, completes, strict=True)).any()
        last = self.i.last & ~several if self._from_node else self.i.last
        m.d.comb += self.arriving_last.eq(last)

    def _label(self, m: Module) -> None:
        """Labels of the copies of the front's flit; a packet to one node keeps its destination."""
        flit = self._complete_flit(self.flit)
        kept = Value.cast(flit.destination)[: label_width(self._network)]
        front_vc = self.front_vc if len(self.arrives) > 1 else Const(1)
        labels: dict[int, list[tuple[Value, Value]]] = {}
        for place, (vc, branch) in zip(self.branching, self._labellers.items(), strict=True):
            m.submodules[f"label_vc{vc}"] = branch
            self._connect_branch(m, branch, self.flit)
            for number, turn in enumerate(branch.turns):
                found = labels.setdefault(self._number(turn), [])
                found.append((front_vc[place], branch.labels[number]))
        for number, values in labels.items():
            label = one_hot_mux(*zip(*values, strict=True))
            m.d.comb += self.labels[number].eq(Mux(self.flit.broadcast, label, kept))
        for number in set(range(len(self._output_classes))) - set(labels):
            m.d.comb += self.labels[number].eq(kept)


class NextFlit(NamedTuple):
    """What may come to the front.

    Members
    -------
    way : Value
        UnicastTurns by which it may leave at once.
    ways : Value
        All that its packet has yet to take.
    channel : Value
        One-hot: the channel by which it came.
    last, held : Value
        It is its packet's last; its copy's head has left already.
    """

    way: Value
    ways: Value
    channel: Value
    last: Value
    held: Value

    @classmethod
    def of_outputs(cls, ways: Value, channel: Value, last: Value, held: Value) -> "NextFlit":
        """Flit of which the ways are known: all of a packet's only flit, otherwise the highest."""
        single = last & ~held
        way = Cat(ways[n] & (single | ~ways[n + 1 :].any()) for n in range(len(ways)))
        return cls(way, ways, channel, last, held)

    @classmethod
    def coming(cls, buffer: CopyBuffer, begun: Value, held: Value) -> "NextFlit":
        """Flit that can be read in the next cycle and could not before.

        Its packet has `begun` to leave by these ways, if its copy's head has.
        """
        first = Mux(buffer.seen.any(), buffer.arriving, 0)
        ways = Mux(held & begun.any(), begun, first)
        return cls.of_outputs(ways, buffer.seen, buffer.arriving_last, held)


class RemainingOutputs(NamedTuple):
    """UnicastTurns that the packets at the heads of the channels have yet to take.

    Members
    -------
    registers : dict of int to Signal
        By place of a channel whose packets are copied, a bit for each way; 0 before the packet at
        its head was at the front.
    """

    registers: dict[int, Signal]

    @classmethod
    def create(cls, places: list[int], ways: int) -> "RemainingOutputs":
        """Registers of some channels, ``rest_0``."""
        return cls({place: Signal(ways, name=f"rest_{place}") for place in places})

    def of(self, chosen: Value) -> Value:
        """Outputs left to the packet of the chosen channel, one-hot; 0 of one without copies."""
        merged: Value = Const(0)
        for place, rest in self.registers.items():
            merged = merged | (rest & chosen[place].replicate(len(rest)))
        return merged

    def take(self, m: Module, chosen: Value, taken: Value) -> None:
        """Take ways from the packets of the chosen channels."""
        for place, rest in self.registers.items():
            with m.If(chosen[place]):
                m.d.sync += rest.eq(rest & ~taken)

    def begin(self, m: Module, comes: Value, flit: NextFlit) -> None:
        """Note the ways of a packet, if its flit comes to the front."""
        for place, rest in self.registers.items():
            with m.If(comes & flit.channel[place]):
                m.d.sync += rest.eq(flit.ways)


def relabelled(flit: View, label: Value, turned: Value | None = None) -> Value:
    """Flit with a label, the lowest bits of its destination.

    With parity, `turned` is that of the bits that the label changes: so a flit that was broken
    stays so, and one that was not is right again.
    """
    parts = {name: Value.cast(flit[name]) for name, _ in flit.shape()}
    parts["destination"] = Cat(label, parts["destination"][len(label) :])
    if turned is not None:
        parts["header_parity"] = parts["header_parity"] ^ turned
    return Cat(parts.values())


def labels_by_output(buffer: CopyBuffer, way: Value, ways_to: list[list[int]]) -> list[Value]:
    """Label of the front's flit by each output, of the ways that lead there."""
    found: list[Value] = []
    for ways in ways_to:
        # Where copies take but one of several ways, that one's label is right on all.
        copied = [n for n in ways if n in buffer.labelled]
        numbers = copied if len(copied) == 1 else ways
        chosen = [way[n] for n in numbers]
        found.append(one_hot_mux(chosen, [buffer.labels[n] for n in numbers]))
    return found


def numbers_by_output(ways: list[OutputClass], outputs: list[int]) -> list[list[int]]:
    """By output port, the numbers of the ways that lead there."""
    return [[n for n, way in enumerate(ways) if way.output == port] for port in outputs]


class CopyPort(FrontPort):
    """Input port whose broadcasts leave by several outputs.

    The copies of a packet's only flit leave each when it is granted, in one cycle if nothing is in
    their way; the flit stays at the front for the last of them. The copies of a longer packet leave
    one after another, the node's last, each as a packet of its own: so a packet that waits for an
    output holds no other. The last copy frees the flits.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`.

    Members
    -------
    arrives, i, select_vc0, ..., full, left, turn, held, last, flit, eligible
        As of `InputPort`; `turn` has a bit for each copy that may leave.
    address : In(address_width)
        The router's own address.
    way, came_by : Out
        In place of `channel`: ways of those copies, and one-hot the channel by which they came.
    labels : Out(label_width).array(outputs)
        Lowest bits of the destination by each output, of `flit`, or of `crossing` if there is one.
    turned : Out(len(outputs))
        Parity of the bits that this label changes; only with parity.
    grants : In(len(outputs))
        In place of `granted`: the outputs that take the flit; only of `turn`.
    cancel : In(channels)
        Drop the flits of an incomplete broadcast; only from a node.
    """

    way: Signal
    came_by: Signal
    labels: list[Signal]
    turned: Signal
    grants: Signal
    cancel: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._is_guarded = network.has_parity and label_width(network) > 0
        self._output_classes = output_classes(network, kind, port)
        self._from_node = port in kind.node_ports
        super().__init__(network, kind, port)

    @property
    def parameters(self) -> Hashable:
        """As of `FrontPort`; a monitor is shown ways by their classes."""
        watched = tuple(way.out_class for way in self._output_classes) if self._watched else ()
        return super().parameters, self._from_node, self._is_guarded, watched

    def _make_buffer(self, port: int) -> InputBuffer:
        self._copies = CopyBuffer(self._network, self._kind, port)
        return self._copies

    def _members(self, count: int) -> dict[str, Member]:
        members = super()._members(count)
        del members["granted"]
        if self._from_node:
            members["cancel"] = In(count)
        if self._is_guarded:
            members["turned"] = Out(len(self._encoding.outputs))
        return members | {
            "address": In(self._network.topology.address_width),
            "grants": In(len(self._encoding.outputs)),
            "way": Out(len(self._output_classes)),
            "came_by": Out(count),
            "labels": Out(label_width(self._network)).array(len(self._encoding.outputs)),
        }

    @property
    def has_channel(self) -> bool:
        return False  # `way` and `came_by` say it

    def takes(self, port: int, vc: int) -> Value:
        lane, out_class = divmod(vc, self._network.routing.classes)
        way = OutputClass(port, out_class)
        if port in self._kind.node_ports or self._kind.output_vcs(port) == [vc]:
            return Const(1)
        if way not in self._output_classes:
            return Const(0)
        return self.way[self._output_classes.index(way)] & self._encoding.in_lane(
            lane, self.came_by
        )

    def connect_grants(self, granted: list[Value]) -> list[Statement]:
        return [self.grants.eq(Cat(granted))]

    def connect_sender(self, place: int, sender: Interface, vc: int) -> list[Statement]:
        return [self.cancel[place].eq(sender.cancel[vc])]

    def flit_to(self, port: int, flit: View) -> Value:
        if not label_width(self._network) or port in self._kind.node_ports:
            return super().flit_to(port, flit)
        place = self._encoding.outputs.index(port)
        turned = self.turned[place] if self._is_guarded else None
        return relabelled(flit, self.labels[place], turned)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        buffer, count = self._copies, len(self.arrives)
        self.front_vc = front_vc = OneHotRegister.create(m, count, "front_vc")
        repeats, done, undone = (Signal(name=name) for name in ("repeats", "done", "undone"))
        leaves = front_vc.value & done.replicate(count)
        self._connect_buffer(m, front_vc.value, leaves)
        ways_to = numbers_by_output(self._output_classes, self._encoding.outputs)
        m.d.comb += [
            buffer.address.eq(self.address),
            buffer.repeats.eq(repeats),
            self.came_by.eq(front_vc.value),
            self.turn.eq(Cat(Cat(self.way[n] for n in to).any() for to in ways_to)),
            undone.eq((self.turn & ~self.grants).any()),
            done.eq(self.turn.any() & ~undone),
        ]
        if self._from_node:
            m.d.comb += buffer.cancel.eq(self.cancel)
        m.d.sync += self.left.eq(leaves & ~repeats.replicate(count))
        labels, domain = labels_by_output(buffer, self.way, ways_to), self._stage(m)
        m.d[domain] += [to.eq(label) for to, label in zip(self.labels, labels, strict=True)]
        if self._is_guarded:
            kept = Value.cast(buffer.flit.destination)[: label_width(self._network)]
            m.d[domain] += self.turned.eq(Cat((kept ^ label).xor() for label in labels))
        self._follow(m, front_vc, leaves, repeats, done)
        return m

    def _follow(
        self, m: Module, front_vc: OneHotRegister, leaves: Value, repeats: Signal, done: Signal
    ) -> None:
        """Register with the flit that the outputs see, and what comes next."""
        here, count, buffer = front_vc.value, len(self.arrives), self._copies
        names = ("follows", "occupied", "other", "stays", "load")
        follows, occupied, other, stays, load = (Signal(name=name) for name in names)
        others, eligible = Signal(count, name="others"), self._may_change(occupied)
        self.rests = rests = RemainingOutputs.create(buffer.branching, len(self._output_classes))
        holds, ahead = self._holds(m, leaves), Signal(len(self._output_classes), name="ahead")
        m.d.comb += [
            ahead.eq(rests.of(here) & ~self.way),
            repeats.eq(ahead.any()),
            follows.eq((here & buffer.at_least_two).any() | (self.last & repeats)),
            others.eq(next_after(buffer.nonempty & ~here, here)),
            other.eq(others.any()),
            occupied.eq(buffer.nonempty.any()),
            # When the front changes, an eligible flit was granted.
            stays.eq(eligible & follows & ~(self.last & other)),
            load.eq(done | (~eligible & (other | ~occupied))),
        ]
        ways = Signal(len(self._output_classes), name="ways_behind")
        m.d.comb += ways.eq(Mux(repeats, ahead, buffer.behind[:-1]))
        same = NextFlit.of_outputs(
            ways, here, buffer.behind[-1] & ~(repeats & self.last), ~self.last
        )
        same = same._replace(way=Mux(self.last, same.way, self.way))
        entry: Value = Const(0, len(buffer.behind))
        if buffer.has_twin:
            m.d.comb += buffer.other_channel.eq(next_channel(here, others))
            entry = buffer.other
        begun, held = rests.of(others), (others & holds).any()
        new = NextFlit.of_outputs(Mux(begun.any(), begun, entry[:-1]), others, entry[-1], held)
        held = (buffer.seen & holds).any()
        held = Mux((buffer.seen & here).any() & occupied, ~self.last, held)
        come = NextFlit.coming(buffer, rests.of(buffer.seen), held)
        taken = Cat(
            self.grants[self._encoding.outputs.index(way.output)] for way in self._output_classes
        )
        with m.If(load):
            registers = [self.way, front_vc.register, self.last, self.held]
            values = [
                [one.way, front_vc.stored(one.channel), *one[-2:]] for one in (same, new, come)
            ]
            for register, *after in zip(registers, *values, strict=True):
                m.d.sync += register.eq(Mux(stays, after[0], Mux(other, after[1], after[2])))
        with m.Else():
            m.d.sync += self.way.eq(self.way & ~taken)
        rests.take(m, here & self.last.replicate(count), taken)
        rests.begin(m, load & stays & self.last, same)
        if count > 1:
            rests.begin(m, load & ~stays & other, new)
        rests.begin(m, load & ~stays & ~other, come)
        right = (self.way.any() == occupied) & (is_one_hot_or_zero(self.way) | self.last)
        m.d.sync += Assert(right, "input port: the front must have a turn if it has a flit")
