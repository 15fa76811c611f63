"""Input port by which broadcasts come that are copied here."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from ....network import Network, RouterKind
from ....untyped import Interface, Statement
from ...layouts import label_width
from ...parts.arbiter import is_one_hot_or_zero, next_after
from .copy_buffer import CopyBuffer
from .copy_front import NextFlit, Rests, labels_by_output, numbers_by_output, relabelled
from .escapes import EscapePort
from .front import OneHotRegister
from .front_port import FrontPort
from .input_port import InputPort, asked_channel
from .port_buffer import PortBuffer, Way, input_ways, told_last


class CopyPort(FrontPort):
    """Input port whose broadcasts leave by several outputs.

    The copies of a packet's only flit leave each when it is granted, in one cycle if nothing is in
    their way; the flit stays at the front for the last of them. The copies of a longer packet leave
    one after another, the node's last, each as a packet of its own: so a packet that waits for an
    output holds no other. The last copy frees the flits.

    Parameters
    ----------
    network, kind, port
        As for `PortBuffer`.

    Members
    -------
    address, arrives, i, full, left, turn, held, last, flit, eligible
        As of `InputPort`; `turn` has a bit for each copy that may leave.
    way, came_by : Out
        In place of `channel`: ways of those copies, and one-hot the channel by which they came.
    labels : Out(label_width).array(outputs)
        Lowest bits of the destination by each output, of `flit`, or of `crossing` if there is one.
    grants : In(len(outputs))
        In place of `granted`: the outputs that take the flit; only of `turn`.
    cancel : In(channels)
        Drop the flits of an incomplete broadcast; only from a node.
    """

    way: Signal
    came_by: Signal
    labels: list[Signal]
    grants: Signal
    cancel: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._ways = input_ways(network, kind, port)
        self._from_node = port in kind.node_ports
        super().__init__(network, kind, port)

    def _make_buffer(self, port: int) -> PortBuffer:
        self._copies = CopyBuffer(self._network, self._kind, port)
        return self._copies

    def _members(self, count: int) -> dict[str, Member]:
        members = super()._members(count)
        del members["granted"], members["channel"]
        if self._from_node:
            members["cancel"] = In(count)
        return members | {
            "grants": In(len(self._encoding.outputs)),
            "way": Out(len(self._ways)),
            "came_by": Out(count),
            "labels": Out(label_width(self._network)).array(len(self._encoding.outputs)),
        }

    def takes(self, port: int, vc: int) -> Value:
        lane, out_class = divmod(vc, self._network.routing.classes)
        way = Way(port, out_class)
        if port in self._kind.node_ports or self._kind.output_vcs(port) == [vc]:
            return Const(1)
        if way not in self._ways:
            return Const(0)
        return self.way[self._ways.index(way)] & self._encoding.in_lane(lane, self.came_by)

    def hear_grants(self, granted: list[Value]) -> list[Statement]:
        return [self.grants.eq(Cat(granted))]

    def hear_sender(self, place: int, sender: Interface, vc: int) -> list[Statement]:
        return [self.cancel[place].eq(sender.cancel[vc])]

    def flit_to(self, port: int) -> Value:
        if not label_width(self._network) or port in self._kind.node_ports:
            return super().flit_to(port)
        return relabelled(self._entering(port), self.labels[self._encoding.outputs.index(port)])

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.buffer = buffer = self._copies
        count = len(self.arrives)
        shown = OneHotRegister.made(m, count, "shown")
        again, done, undone = (Signal(name=name) for name in ("again", "done", "undone"))
        leaves = shown.value & done.replicate(count)
        ways_to = numbers_by_output(self._ways, self._encoding.outputs)
        m.d.comb += [
            buffer.address.eq(self.address),
            buffer.arrives.eq(self.arrives),
            Value.cast(buffer.i).eq(Value.cast(self.i)),
            buffer.shown.eq(shown.value),
            buffer.leaves.eq(leaves),
            buffer.again.eq(again),
            *told_last(buffer, self.last),
            self.full.eq(buffer.full),
            self.came_by.eq(shown.value),
            Value.cast(self.flit).eq(Value.cast(buffer.flit)),
            self.turn.eq(Cat(Cat(self.way[n] for n in to).any() for to in ways_to)),
            undone.eq((self.turn & ~self.grants).any()),
            done.eq(self.turn.any() & ~undone),
        ]
        if self._from_node:
            m.d.comb += buffer.cancel.eq(self.cancel)
        m.d.sync += self.left.eq(leaves & ~again.replicate(count))
        m.d[self._stage(m)] += labels_by_output(self.labels, buffer, self.way, ways_to)
        self._follow(m, shown, leaves, again, done)
        return m

    def _follow(
        self, m: Module, shown: OneHotRegister, leaves: Value, again: Signal, done: Signal
    ) -> None:
        """Register with the flit that the outputs see, and what comes next."""
        here, count, buffer = shown.value, len(self.arrives), self._copies
        names = ("follows", "occupied", "other", "stays", "load")
        follows, occupied, other, stays, load = (Signal(name=name) for name in names)
        others, eligible = Signal(count, name="others"), self._may_change(occupied)
        rests = Rests.made(buffer.branching, len(self._ways))
        holds, ahead = self._holds(m, leaves), Signal(len(self._ways), name="ahead")
        m.d.comb += [
            ahead.eq(rests.of(here) & ~self.way),
            again.eq(ahead.any()),
            follows.eq((here & buffer.more).any() | (self.last & again)),
            others.eq(next_after(buffer.some & ~here, here)),
            buffer.asked.eq(asked_channel(here, others)),
            other.eq(others.any()),
            occupied.eq(buffer.some.any()),
            # When the front changes, an eligible flit was granted.
            stays.eq(eligible & follows & ~(self.last & other)),
            load.eq(done | (~eligible & (other | ~occupied))),
        ]
        ways = Signal(len(self._ways), name="ways_behind")
        m.d.comb += ways.eq(Mux(again, ahead, buffer.behind[:-1]))
        same = NextFlit.made(ways, here, buffer.behind[-1] & ~(again & self.last), ~self.last)
        same = same._replace(way=Mux(self.last, same.way, self.way))
        entry = buffer.other
        begun, held = rests.of(others), (others & holds).any()
        new = NextFlit.made(Mux(begun.any(), begun, entry[:-1]), others, entry[-1], held)
        held = (buffer.seen & holds).any()
        held = Mux((buffer.seen & here).any() & occupied, ~self.last, held)
        come = NextFlit.coming(buffer, rests.of(buffer.seen), held)
        taken = Cat(self.grants[self._encoding.outputs.index(way.output)] for way in self._ways)
        with m.If(load):
            registers = [self.way, shown.register, self.last, self.held]
            values = [[one.way, shown.stored(one.channel), *one[-2:]] for one in (same, new, come)]
            for register, *after in zip(registers, *values, strict=True):
                m.d.sync += register.eq(Mux(stays, after[0], Mux(other, after[1], after[2])))
        with m.Else():
            m.d.sync += self.way.eq(self.way & ~taken)
        rests.take(m, here & self.last.replicate(count), taken)
        rests.begin(m, load & stays & self.last, same)
        rests.begin(m, load & ~stays & other, new)
        rests.begin(m, load & ~stays & ~other, come)
        right = (self.way.any() == occupied) & (is_one_hot_or_zero(self.way) | self.last)
        m.d.sync += Assert(right, "input port: the front must have a turn if it has a flit")


def make_input_port(network: Network, kind: RouterKind, port: int) -> FrontPort:
    """Input port of a router, with copies where broadcasts branch, and escapes where there are."""
    if network.routing.escape_class is not None:
        return EscapePort(network, kind, port)
    copies = any(kind.branches(port, vc) for vc in kind.input_vcs(port))
    return (CopyPort if copies else InputPort)(network, kind, port)
