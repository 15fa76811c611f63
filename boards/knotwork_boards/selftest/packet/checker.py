"""Checker of the packets that a node receives in the self-test of packet networks."""

from collections.abc import Callable
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory
from amaranth.lib.wiring import In

from ..node_test import NodeChecker
from ..packet_format import BEAT_WIDTH, PacketFormat


class Arrival(NamedTuple):
    """Packet to judge, or flow to forget.

    Members
    -------
    judged : Value
        A sound packet for the node ends in this cycle.
    flow, sequence : Value
        Flow of the packet, and its number in the flow.
    clear, clear_flow : Value
        `clear_flow` starts again; never in a cycle with `judged`.
    """

    judged: Value
    flow: Value
    sequence: Value
    clear: Value
    clear_flow: Value


class Verdict(NamedTuple):
    """What the number of a judged packet shows; at most one of the two.

    Members
    -------
    duplicated : Value
        The number has come before.
    skipped : Value
        An older number has not come, and the judge no longer waits for it.
    """

    duplicated: Value
    skipped: Value


Judge = Callable[[Module, PacketFormat, Arrival], Verdict]


def judge_of(format: PacketFormat) -> Judge:
    """Judge for the network: the cheaper one where packets of a flow keep their order."""
    return judge_in_order if format.in_order else judge_in_window


def judge_in_order(m: Module, form: PacketFormat, arrival: Arrival) -> Verdict:
    """Add a judge that keeps, per flow, the number that the next packet must have.

    An old number is duplicated. A number further ahead is good, but skips those in between.
    """
    m.submodules.expected = expected = memory.Memory(
        shape=form.sequence_width, depth=1 << len(arrival.flow), init=[]
    )
    read, write = expected.read_port(domain="comb"), expected.write_port()
    judged, clear = arrival.judged, arrival.clear
    ahead = Signal(form.sequence_width)
    behind = ahead[-1]
    m.d.comb += [
        read.addr.eq(arrival.flow),
        ahead.eq(arrival.sequence - read.data),
        write.addr.eq(Mux(clear, arrival.clear_flow, arrival.flow)),
        write.data.eq(Mux(clear, 0, arrival.sequence + 1)),
        write.en.eq(clear | (judged & ~behind)),
    ]
    return Verdict(judged & behind, judged & ~behind & (ahead != 0))


def judge_in_window(m: Module, form: PacketFormat, arrival: Arrival) -> Verdict:
    """Add a judge that lets the packets of a flow overtake each other within a window.

    Per flow it keeps the number after the newest, and which of the `form.window` numbers before
    that are missing. A missing number is good whenever it comes; any other old number is
    duplicated. A number further ahead moves the window up, and a missing number that falls out of
    the window is skipped. So a packet may be overtaken by up to ``window - 1`` newer ones. In a
    sound network it never is by more, for generators halt after `window` rounds (see `Generator`).

    A skipped packet that comes after all counts as duplicated, or as new if it is half of all
    sequence numbers old; `skipped` has failed the window by then. Packets that are missing at the
    end of the window count as lost.
    """
    window = form.window
    state = data.StructLayout({"following": form.sequence_width, "missing": window})
    m.submodules.flows = flows = memory.Memory(shape=state, depth=1 << len(arrival.flow), init=[])
    read, write = flows.read_port(domain="comb"), flows.write_port()
    ahead = Signal(form.sequence_width)
    behind = ahead[-1]
    age = ~ahead[:-1]  # of an old number: newer numbers of its flow so far
    steps = Signal(range(window + 1))
    moved = Cat(Const(-1, window), read.data.missing) << steps
    dropped = moved[2 * window - 1 :].any()
    awaited = (read.data.missing >> age)[0]

    following, missing = Signal(form.sequence_width), Signal(window)
    m.d.comb += [
        read.addr.eq(arrival.flow),
        ahead.eq(arrival.sequence - read.data.following),
        steps.eq(Mux(ahead < window, ahead, window)),
        write.addr.eq(Mux(arrival.clear, arrival.clear_flow, arrival.flow)),
        write.en.eq(arrival.clear | arrival.judged),
        write.data.following.eq(following),
        write.data.missing.eq(missing),
    ]
    with m.If(arrival.clear):
        m.d.comb += [following.eq(0), missing.eq(0)]
    with m.Elif(behind):
        came = Const(1, 1) << age
        m.d.comb += [following.eq(read.data.following), missing.eq(read.data.missing & ~came)]
    with m.Else():
        m.d.comb += [
            following.eq(arrival.sequence + 1),
            missing.eq(Cat(Const(0, 1), moved[window : 2 * window - 1])),
        ]
    return Verdict(
        arrival.judged & behind & ~awaited,
        arrival.judged & ~behind & dropped,
    )


class Checker(NodeChecker):
    """Sink that classifies each packet that reaches a node.

    A packet with a wrong beat is corrupted. A sound packet for another node is misrouted. A sound
    packet for this node whose number has come before is duplicated. Where packets keep their order,
    a packet whose number lies ahead is good; `skipped` signals that the packets in between are
    missing, and the tally counts them as lost, or by their own fault. Where packets
    may overtake each other, the checker waits for a missing number for a while
    (`order.judge_in_window`), and `skipped` signals that it gave one up.

    A register takes each beat before it is judged, and `ready` is a register too: so no path of the
    network's leads through the checker, and no second register has to hold a beat back.

    The copies of a source's multicasts or broadcasts are a separate flow, for nothing orders them
    among its other packets. A copy is meant for the node if the format counts the node as a member.

    Latency
    -------
    1 cycle from a packet's last beat to its events.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    address : int
        Address of the node.

    Members
    -------
    clear : In(1)
        Forgets the sequence numbers of the flow `clear_source`; no packets come meanwhile.
    clear_source : In(flow_width)
        Address of a source, and above it, where there are copies, the bit that marks them.
    i, random, received, corrupted, misrouted, duplicated, skipped
        See `NodeChecker`; `skipped` is about packets of the same flow.
    """

    clear: Value
    clear_source: Value

    def __init__(self, *, format: PacketFormat, address: int) -> None:
        self._format = format
        self._address = address
        controls = {"clear": In(1), "clear_source": In(format.flow_width)}
        super().__init__(format.packet_out, controls)
        self._beat = Signal(format.packet_out)

    def elaborate(self, platform: object) -> Module:
        """Judge each beat as it comes, and the packet with its last beat."""
        del platform
        m = Module()
        form = self._format
        taken, beat_in = Signal(), self._beat
        m.d.sync += [
            self.i.ready.eq(~self.random.all()),
            taken.eq(self.i.valid & self.i.ready),
            beat_in.eq(self.i.p),
        ]
        head = Signal(init=1)
        beat = Signal(BEAT_WIDTH)
        was_bad, was_own = Signal(), Signal()
        was_sequence = Signal(form.sequence_width)

        destination = form.destination_of(beat_in.data)
        own = Mux(head, self._is_own(destination, form.copy_of(beat_in.data)), was_own)
        copy = self._copy(m, head)
        sequence = Signal(form.sequence_width)
        right = Signal(form.data_width)
        of_packet = {
            "copy": copy,
            "sequence": sequence,
            "source": self._source,
            "last": beat_in.last,
        }
        bad = (beat_in.data != right) | (was_bad & ~head)
        m.d.comb += [
            sequence.eq(Mux(head, form.sequence_of(beat_in.data), was_sequence)),
            right.eq(
                Mux(
                    head,
                    form.head(destination=self._named(destination, copy), **of_packet),
                    form.body(beat=beat, **of_packet),
                )
            ),
        ]

        m.d.comb += self.received.eq(taken & beat_in.last)
        with m.If(taken):
            m.d.sync += [
                head.eq(beat_in.last),
                beat.eq(Mux(beat_in.last, 0, beat + 1)),
                was_bad.eq(bad),
                was_own.eq(own),
                was_sequence.eq(sequence),
            ]
        self._judge(m, sound=~bad, own=own, copy=copy, sequence=sequence)
        return m

    @property
    def _source(self) -> Value:
        return self._format.source_of(self._beat)

    def _copy(self, m: Module, head: Value) -> Value:
        """Whether the first beat marks the packet as a copy; no bits where there are no copies."""
        says = self._format.copy_of(self._beat.data)
        if not self._format.members:
            return says
        said = Signal()
        with m.If(head):
            m.d.sync += said.eq(says)
        return Mux(head, says, said)

    def _is_own(self, destination: Value, copy: Value) -> Value:
        """Whether a first beat belongs to a packet for this node."""
        addressed = destination == Const(self._address, self._format.address_width)
        if not self._format.members:
            return addressed
        return Mux(copy, self._format.is_member(self._source, self._address), addressed)

    def _named(self, destination: Value, copy: Value) -> Value:
        """Address that a first beat must name to be sound, given the one that it names."""
        return Mux(copy, self._source, destination) if self._format.members else destination

    def _judge(self, m: Module, *, sound: Value, own: Value, copy: Value, sequence: Value) -> None:
        """Raise the events of a packet."""
        judged = self.received & sound & own
        arrival = Arrival(
            judged=judged,
            flow=Cat(self._source, copy),
            sequence=sequence,
            clear=self.clear,
            clear_flow=self.clear_source,
        )
        verdict = judge_of(self._format)(m, self._format, arrival)
        m.d.comb += [
            self.corrupted.eq(self.received & ~sound),
            self.misrouted.eq(self.received & sound & ~own),
            self.duplicated.eq(verdict.duplicated),
            self.skipped.eq(verdict.skipped),
        ]
