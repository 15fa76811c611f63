"""Whether a packet's number is its flow's next one, an old one, or one from further ahead."""

from collections.abc import Callable
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory

from .fields import PacketFormat


class Arrival(NamedTuple):
    """Packet to be judged, or flow to be forgotten.

    Members
    -------
    judged : Value
        A sound packet for the node ends in this clock.
    flow, sequence : Value
        Its flow, and its number in it.
    clear, clear_flow : Value
        `clear_flow` begins anew; never in a clock in which a packet is judged.
    """

    judged: Value
    flow: Value
    sequence: Value
    clear: Value
    clear_flow: Value


class Verdict(NamedTuple):
    """What the number of a judged packet shows; at most one of both.

    Members
    -------
    duplicated : Value
        It has come before.
    skipped : Value
        An older one has not come, and no longer will.
    """

    duplicated: Value
    skipped: Value


Judge = Callable[[Module, PacketFormat, Arrival], Verdict]


def judge_of(format: PacketFormat) -> Judge:
    """Judge for the network: the cheap one where packets of a flow keep their order."""
    return judge_in_order if format.in_order else judge_in_window


def judge_in_order(m: Module, form: PacketFormat, arrival: Arrival) -> Verdict:
    """Add a judge that keeps the number that each flow's next packet must have.

    A number of the past is duplicated; one ahead is good, but those in between are skipped.
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

    It keeps the number after a flow's newest, and which of the `form.window` numbers before that
    are missing. A missing one that comes is good, whenever it comes; any other number of the past
    is duplicated. One ahead moves the window up, and a missing one that falls out of it is skipped.
    So a packet may be overtaken by up to ``window - 1`` newer ones, and in a sound network never is
    by more, for generators halt after so many (see `Generator`). If one comes that was skipped,
    it is called duplicated, or taken for a new one where it is half of all sequence numbers old:
    `skipped` has failed the test by then. What is missing at the end shows as lost.
    """
    window = form.window
    state = data.StructLayout({"following": form.sequence_width, "missing": window})
    m.submodules.flows = flows = memory.Memory(shape=state, depth=1 << len(arrival.flow), init=[])
    read, write = flows.read_port(domain="comb"), flows.write_port()
    ahead = Signal(form.sequence_width)
    behind = ahead[-1]
    age = ~ahead[:-1]  # of a number that is behind: how many newer ones there are
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
