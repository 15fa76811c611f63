"""Classes of traffic: what is of one class, which class has a link, how much a node may send."""

from fractions import Fraction
from functools import reduce
from operator import or_

from amaranth.hdl import Assert, Cat, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...routing.walks.headers import HeaderBits, KnownBits
from ...untyped import Interface, View
from ..component import Component
from ..layouts import inject_layout
from .output_port import OutputPort


class Regulator(Component):
    """Passes a stream of packets on, at most ``burst + rate * t`` beats in any t cycles.

    A bucket holds up to `burst` tokens, full at first; `rate` of a token comes in each cycle, and a
    beat takes one. A packet starts when the bucket is full, so one of up to `burst` beats is not
    interrupted; each later beat waits for a token.

    Latency
    -------
    0 cycles for a beat that need not wait.

    Parameters
    ----------
    shape : shape-like
        Payload; it has a field `last`, which marks the last beat of a packet.
    rate : Fraction
        Beats per cycle, above 0 and below 1.
    burst : int
        Tokens that the bucket holds, at least 1.

    Members
    -------
    i, o : stream of shape
        Beats; the path of `valid` and `ready` is combinational.
    missing : Signal
        What a full bucket has more, in parts of a token; so the register is 0 after a reset.
    in_packet : Signal
        A packet has begun and not ended.

    References
    ----------
    J. S. Turner, "New directions in communications (or which way to the information age?)", IEEE
    Communications Magazine 24(10), 1986 (leaky bucket).
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape: ShapeLike, *, rate: Fraction, burst: int) -> None:
        self._gain, self._cost = rate.numerator, rate.denominator
        self._full = burst * self._cost
        self.missing = Signal(range(self._full + 1), name="missing")
        self.in_packet = Signal(name="in_packet")
        beats = stream.Signature(shape)
        super().__init__({"i": In(beats), "o": Out(beats)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        missing, in_packet = self.missing, self.in_packet
        opens, moves = Signal(name="opens"), Signal(name="moves")
        before = Signal(range(self._full + self._cost + 1), name="before")
        m.d.comb += [
            opens.eq(Mux(in_packet, missing <= self._full - self._cost, missing == 0)),
            self.o.p.eq(self.i.p),
            self.o.valid.eq(self.i.valid & opens),
            self.i.ready.eq(self.o.ready & opens),
            moves.eq(self.i.valid & self.i.ready),
            before.eq(missing + Mux(moves, self._cost, 0)),
        ]
        m.d.sync += missing.eq(Mux(before <= self._gain, 0, before - self._gain))
        with m.If(moves):
            m.d.sync += in_packet.eq(~self.i.p.last)
        m.d.sync += Assert(before <= self._full, "regulator: a beat must have a token")
        return m


def known_class_bits(network: Network, kind: RouterKind, known: HeaderBits) -> HeaderBits:
    """What is known of the flits of one class: also the class, the lowest bits of the addresses.

    There the router's own address, that of its first node, has zeros. Of a broadcast, a label is
    where others have the destination. With parity nothing is, as all bits are guarded.
    """
    number = kind.traffic_class
    if number is None or network.has_parity:
        return known
    mask = (1 << (network.traffic_classes - 1).bit_length()) - 1

    def with_class(bits: KnownBits) -> KnownBits:
        return KnownBits(bits.same & ~mask | mask & ~number, bits.inverted & ~mask | number)

    to = known.destination if network.has_broadcast else with_class(known.destination)
    return HeaderBits(to, with_class(known.source))


def class_port_name(port: str, kind: RouterKind) -> str:
    """Name of a port, and of the class of traffic where there are several."""
    return port if kind.traffic_class is None else f"{port}_class{kind.traffic_class}"


class StrictPriority(Component):
    """Opens a link, in each cycle, to the highest class that requests it.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    classes : int
        At least 2; the last one is the highest.

    Members
    -------
    requests : In(classes)
        The class has a flit that could cross.
    open : Out(classes)
        No higher class has one.
    """

    requests: Signal
    open: Signal

    def __init__(self, *, classes: int) -> None:
        self._classes = classes
        super().__init__({"requests": In(classes), "open": Out(classes)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number in range(self._classes):
            m.d.comb += self.open[number].eq(~self.requests[number + 1 :].any())
        return m


class WeightedRoundRobin(Component):
    """Opens a link, in each cycle, to the class whose turn it is: weighted round robin.

    Each class has a counter of the flits that it may still send in this round, at most its weight.
    Of the classes that ask, the highest one whose counter is not 0 has the link, and its counter
    falls. If all classes that ask have spent theirs, a new round begins in that very cycle: the
    highest of them has the link, its counter becomes its weight less 1, and those of all others
    their weight. Without a class that requests nothing changes.

    So the link is never idle while a class requests it, and classes that request it throughout a
    round send as many flits in it as their weights. A class waits for no more flits than the others
    may send in two rounds.

    Latency
    -------
    0 cycles from `requests` to `open`, a function of `requests` and of a bit of each counter.

    Parameters
    ----------
    weights : tuple of int
        Of each class, at least two; the last one is the highest.

    Members
    -------
    requests : In(len(weights))
        The class has a flit that could cross; one of it crosses if the link is open to the class.
    open : Out(len(weights))
        No other class that requests goes first.
    spent : Out(len(weights))
        The class has nothing left in this round.
    """

    requests: Signal
    open: Signal
    spent: Signal

    def __init__(self, *, weights: tuple[int, ...]) -> None:
        self._weights = weights
        count = len(weights)
        super().__init__({"requests": In(count), "open": Out(count), "spent": Out(count)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ready, begins = Signal.like(self.requests, name="ready"), Signal(name="begins")
        m.d.comb += [
            ready.eq(self.requests & ~self.spent),
            begins.eq(self.requests.any() & ~ready.any()),
        ]
        for number, weight in enumerate(self._weights):
            left = Signal(range(weight + 1), init=weight, name=f"left_{number}")
            sends = Signal(name=f"sends_{number}")
            above = slice(number + 1, None)
            m.d.comb += [
                self.spent[number].eq(left == 0),
                # A class that has spent all goes first only if no class has anything left.
                self.open[number].eq(
                    Mux(
                        self.spent[number],
                        ~(self.requests[above].any() | ready[:number].any()),
                        ~ready[above].any(),
                    )
                ),
                sends.eq(self.requests[number] & self.open[number]),
            ]
            with m.If(begins):
                m.d.sync += left.eq(weight - sends)
            with m.Elif(sends):
                m.d.sync += left.eq(left - 1)
        return m


def share_link(
    m: Module, outputs: list[OutputPort], port: str, *, weights: tuple[int, ...]
) -> View:
    """Let the outputs of all classes send by one link; gives the flit that is sent.

    Without weights by strict priority.
    """
    if weights:
        chosen = WeightedRoundRobin(weights=weights)
    else:
        chosen = StrictPriority(classes=len(outputs))
    m.submodules[f"classes_{port}"] = chosen
    sent: View = Signal.like(outputs[0].flit, name=f"flit_{port}")  # pyright: ignore[reportAssignmentType]: of a layout
    m.d.comb += [
        chosen.requests.eq(Cat(output.any_eligible for output in outputs)),
        Cat(output.open for output in outputs).eq(chosen.open),
        # Only one of them sends in a cycle; the flits of the others are 0.
        Value.cast(sent).eq(reduce(or_, (Value.cast(each.flit) for each in outputs))),
    ]
    sends = Signal(len(outputs), name=f"sends_{port}")
    m.d.comb += sends.eq(Cat(output.granted.any() for output in outputs))
    if isinstance(chosen, WeightedRoundRobin):
        early = Signal(name=f"early_{port}")
        m.d.comb += early.eq((sends & chosen.spent).any() & (chosen.requests & ~chosen.spent).any())
        m.d.sync += Assert(
            ~early,
            "classes: a class must not exceed its weight, while another with weight left waits",
        )
        return sent
    for number in range(1, len(outputs)):
        m.d.sync += Assert(
            ~(outputs[number].any_eligible & sends[:number].any()),
            "classes: no lower class may send while a higher one could",
        )
    return sent


def regulated(m: Module, network: Network, port: int, inject: Interface) -> Interface:
    """What the node at a port sends, no more than its class of traffic may."""
    limits = network.injection_limits
    limit = limits[network.topology.port_class(port)] if len(limits) > 1 else None
    if limit is None:
        return wiring.flipped(inject)
    shape = inject_layout(network)
    m.submodules.regulator = regulator = Regulator(shape, rate=limit.rate, burst=limit.burst)
    wiring.connect(m, wiring.flipped(inject), regulator.i)
    return regulator.o
