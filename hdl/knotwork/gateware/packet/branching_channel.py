"""Input channel where packets branch: each branch reads the buffer at its own pace."""

from typing import ClassVar

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory, ReadPort
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...routing import Turn
from ...topology import LOCAL
from ...untyped import Statement
from ..layouts import Link, flit_layout, label_width
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.route import BranchComputation, RouteComputation
from .branch_reader import BranchReader
from .channel import Channel
from .write_side import WriteSide


class BranchingChannel(Channel):
    """Buffer of one virtual channel whose packets may leave by several turns, each at its pace.

    The buffer shows one flit at a time; it crosses by every turn that wants it and can take it in
    that cycle. Each branch of a broadcast has its own read position in the packet, which stays in
    the buffer until the last branch has read it. A branch that moves continues; when no branch at
    the flit shown has both its output and room behind it, or all are finished, the next branch's
    flit is shown, round robin. So a branch waits for another only while that one could move.

    A branch asks for its output's virtual channel until it is finished, even while its flit is not
    shown (`select` without `present`).

    A packet to one node leaves flit by flit as in `InputChannel`, and may be longer than the
    buffer. At the local input a broadcast is shown once it is complete, and is dropped if it is
    cancelled before.

    Latency
    -------
    1 cycle from `i` to `o`.

    Parameters
    ----------
    network : Network
        Widths and depth.
    turns : tuple of Turn
        All turns from this input.
    route : RouteComputation or None
        Chooses the turn of packets to one node; None where there are none.
    branch : BranchComputation
        Chooses the turns of broadcasts, at least two.

    Members
    -------
    address : In(address_width)
        The router's own address.
    i : In(stream.Signature(flit_layout))
        From the link.
    cancel : In(1)
        Drop the flits of the incomplete broadcast; only at the local input.
    o : Out(stream.Signature(flit_layout))
        Flit shown, to the crossbar; `ready` is not used.
    select : Out(len(turns))
        Turns that are asked for.
    present : Out(len(turns))
        Those of them for which the flit shown is next.
    labels : Out(label_width).array(len(turns))
        Label of the flit on that turn; a unicast keeps the bits of its destination.
    could : In(len(turns))
        Turns whose flit is shown, granted, and has room behind the output.
    crosses : In(len(turns))
        Turns by which the flit shown crosses in this cycle.
    """

    branches: ClassVar[bool] = True

    address: Signal
    i: stream.Interface
    cancel: Signal
    o: stream.Interface
    select: Signal
    present: Signal
    labels: list[Signal]
    could: Signal
    crosses: Signal

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        route: RouteComputation | None,
        branch: BranchComputation,
    ) -> None:
        self._network = network
        self._turns = turns
        self._route = route
        self._branch = branch
        self._is_local = turns[0].input_port == LOCAL
        flits = stream.Signature(flit_layout(network))
        members = {
            "address": In(network.topology.address_width),
            "i": In(flits),
            "o": Out(flits),
            "select": Out(len(turns)),
            "present": Out(len(turns)),
            "labels": Out(label_width(network)).array(len(turns)),
            "could": In(len(turns)),
            "crosses": In(len(turns)),
        }
        super().__init__(members | ({"cancel": In(1)} if self._is_local else {}))

    @property
    def routes(self) -> tuple[RouteComputation | None, RouteComputation | None]:
        """Gates of its packets' routes; none escapes."""
        return self._route, None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of `select`."""
        return self._turns

    def answer_sender(self, sender: Link, vc: int) -> list[Statement]:
        """Take the node's cancelling of a broadcast, at the local input."""
        return [self.cancel.eq(sender.cancel[vc])] if self._is_local else []

    def shows(self, number: int) -> Value:
        """Value of `present`."""
        return self.present[number]

    def hear_room(self, number: int, could: Value) -> list[Statement]:
        """Drive `could`."""
        return [self.could[number].eq(could)]

    def hear_crossing(self, number: int, crosses: Value) -> list[Statement]:
        """Drive `crosses`."""
        return [self.crosses[number].eq(crosses)]

    def label(self, number: int, bits: int) -> Value:
        """Value of `labels`."""
        del bits
        return self.labels[number]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self._network.hardware.input_buffer
        m.submodules.memory = memory = Memory(
            shape=flit_layout(self._network), depth=depth, init=[]
        )
        self._shown = Signal(range(depth))  # position of the flit shown, or of the next to be
        self._free = Signal()  # positions up to the one shown, or read, are free
        read = memory.read_port(domain="comb")
        write = self._write(m, memory)
        self._show(m, read, write)
        return m

    def _after(self, position: Value) -> Value:
        depth = self._network.hardware.input_buffer
        return Mux(position == depth - 1, 0, position + 1)

    def _write(self, m: Module, memory: Memory) -> "WriteSide":
        """Write side: free space, and the flits that the read side can see."""
        port = memory.write_port()
        into, head = (Signal.like(self._shown, name=name) for name in ("into", "head"))
        after, head_after = Signal.like(into, name="after"), Signal.like(head, name="head_after")
        full, taken, commit = (Signal(name=name) for name in ("full", "taken", "commit"))
        m.d.comb += [
            after.eq(self._after(into)),
            taken.eq(self.i.valid & ~full),
            self.i.ready.eq(~full),
            port.addr.eq(into),
            port.data.eq(self.i.p),
            port.en.eq(taken),
            commit.eq(taken),
        ]
        with m.If(taken):
            m.d.sync += into.eq(after)
        m.d.sync += full.eq(~self._free & (full | (taken & (after == head))))
        with m.If(self._free):
            m.d.sync += head.eq(head_after)
        end: Value = into
        if self._is_local:
            end = Signal.like(into, name="committed")
            m.d.comb += commit.eq(taken & (~self.i.p.broadcast | self.i.p.last))
            with m.If(commit):
                m.d.sync += end.eq(after)
            with m.If(self.cancel):
                m.d.sync += [into.eq(end), full.eq(0)]
        return WriteSide(end, commit, full, head_after)

    def _is_seen(self, written: "WriteSide", position: Value, *, jumped: bool = False) -> Value:
        """Whether the flit at `position` can be seen in the next cycle.

        At the local input a packet becomes visible as a whole, so a branch never runs out of flits.
        """
        if jumped and self._is_local:
            return Const(1)
        seen = written.commit | (position != written.end)
        return seen | written.full if jumped else seen

    def _show(self, m: Module, read: ReadPort, written: "WriteSide") -> None:
        """Show the memory's output."""
        seen, after = Signal(name="seen"), Signal.like(self._shown, name="after")
        m.d.comb += [
            read.addr.eq(self._shown),
            self.o.p.eq(read.data),
            self.o.valid.eq(seen),
            after.eq(self._after(self._shown)),
            written.head_after.eq(after),
        ]
        reader = self._read(m, self._chosen(m, read.data, seen))
        is_free = reader.moved & (~self.o.p.broadcast | reader.finish)
        m.d.comb += [
            self._free.eq(is_free),
            reader.following.eq(after),
            reader.restart.eq(self._free),
        ]
        with m.If(reader.advance):
            m.d.sync += [self._shown.eq(after), seen.eq(self._is_seen(written, after))]
        with m.Elif(reader.jump):
            is_seen = self._is_seen(written, reader.target, jumped=True)
            m.d.sync += [self._shown.eq(reader.target), seen.eq(is_seen)]
        with m.Elif(written.commit):
            m.d.sync += seen.eq(1)

    def _chosen(self, m: Module, flit: data.View, seen: Value) -> list[Signal]:
        """Turns of a flit, 0 unless it is `seen`, and its labels on them."""
        broadcast = flit.broadcast
        m.submodules.branch = branch = self._branch
        count, bits = len(self._turns), label_width(self._network)
        chosen = Signal(count)
        labels = [Signal(bits, name=f"label_{number}") for number in range(count)]
        destination = Value.cast(flit.destination)[:bits]
        m.d.comb += [
            branch.address.eq(self.address),
            branch.source.eq(flit.source),
            branch.label.eq(destination),
        ]
        ways: dict[Turn, list[Value]] = {turn: [] for turn in self._turns}
        for number, turn in enumerate(branch.turns):
            ways[turn].append(branch.select[number] & broadcast)
        if self._route is not None:
            m.submodules.route = route = self._route
            m.d.comb += [route.address.eq(self.address), route.destination.eq(flit.destination)]
            for number, turn in enumerate(route.turns):
                ways[turn].append(route.select[number] & ~broadcast)
        for number, turn in enumerate(self._turns):
            m.d.comb += chosen[number].eq(Cat(ways[turn]).any() & seen)
            if turn in branch.turns:
                label = branch.labels[branch.turns.index(turn)]
                m.d.comb += labels[number].eq(Mux(broadcast, label, destination))
            else:
                m.d.comb += labels[number].eq(destination)
        return [chosen, *labels]

    def _read(self, m: Module, chosen: list[Signal]) -> BranchReader:
        """Reader of the branches; tells the turns and labels of the flit shown."""
        turns = self._branch.turns
        places = [self._turns.index(turn) for turn in turns]
        depth = self._network.hardware.input_buffer
        m.submodules.reader = reader = BranchReader(branches=len(turns), depth=depth)
        asks, *labels = chosen
        flit = self.o.p
        m.d.comb += [
            reader.valid.eq(self.o.valid),
            reader.broadcast.eq(flit.broadcast),
            reader.last.eq(flit.last),
            reader.chosen.eq(Cat(asks[place] for place in places)),
            reader.shown.eq(self._shown),
            reader.crosses.eq(Cat(self.crosses[place] for place in places)),
            reader.moved.eq(self.crosses.any()),
            reader.could.eq(self.could.any()),
        ]
        alone = Mux(flit.broadcast, 0, asks)
        for number, turn in enumerate(self._turns):
            m.d.comb += [
                self.select[number].eq(alone[number]),
                self.present[number].eq(alone[number]),
                self.labels[number].eq(labels[number]),
            ]
            if turn in turns:
                branch = turns.index(turn)
                m.d.comb += [
                    self.select[number].eq(alone[number] | reader.wanted[branch]),
                    self.present[number].eq(alone[number] | reader.present[branch]),
                ]
        is_one = is_one_hot_or_zero(asks)
        m.d.sync += [
            Assert(
                (is_one | flit.broadcast) & (asks.any() == self.o.valid),
                "branching channel: a flit must take one turn of its router, or a broadcast's",
            ),
            Assert(
                ~reader.moved | flit.broadcast | is_one_hot_or_zero(self.crosses),
                "branching channel: a packet to one node must not branch",
            ),
        ]
        return reader
