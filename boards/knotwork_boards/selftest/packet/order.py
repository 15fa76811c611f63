"""Whether the number of a packet is the next one of its flow, an old one, or one further ahead."""

from collections.abc import Callable
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory

from ..packet_format import PacketFormat


class Arrival(NamedTuple):
    """Packet to judge, or flow to forget.

    Members
    -------
    judged : Value
        A sound packet for the node ends in this cycle.
    flow, sequence : Value
        Flow of the packet, and its number in the flow.
    clear, clear_flow : Value
        `clear_flow` begins anew; never in a cycle with `judged`.
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
