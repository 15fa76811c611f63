"""Gates of the cube-connected cycles: route computation, and LC2's exchange."""

from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from ...network import Network
from ...routing.ccc import LC2, LineSweepNumbers
from ...topology import LOCAL
from ...topology.ccc import BACKWARD, FORWARD, LATERAL, CubeConnectedCycles
from ...untyped import View
from ..batch.exchange import Exchange, ExchangeLink, Sequencer
from ..batch.router import OneEntry, ShiftRegisters
from ..parts.route import RouteComputation


def _topology(network: Network) -> CubeConnectedCycles:
    return CubeConnectedCycles.of(network.topology)


class _Wanted(NamedTuple):
    """Whether a packet has to cross the lateral link here, one ahead, one behind."""

    here: Value
    ahead: Value
    behind: Value


class UnicastRoute(RouteComputation):
    """Next link of the sweeps on a line: `routing.ccc.line_sweeps` in gates.

    A flit that goes forward has no lateral link left to cross behind it; a flit that goes backward
    has none left ahead. A flit that passed the seam, or goes forward for the second time, only has
    to reach its place. Terms of the router's address alone cost no logic, because that is a
    constant.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        port, vc = self.turns[0].input_port, self.turns[0].input_vc
        second = vc % self.network.routing.classes == 1
        none = Const(0)
        here, ahead, behind = self._wanted()
        if all(turn.output_port != LATERAL for turn in self.turns):
            here = none
        if port == FORWARD or second:
            ahead = none
        if port == BACKWARD or (port == FORWARD and second):
            behind = none
        bits = self._cycle[0]
        there = Signal()
        m.d.comb += there.eq(self.address[:bits] == self.destination[:bits])
        forward: Value = Const(1)
        if port == FORWARD:
            forward = none
        elif port != BACKWARD:
            shorter = self._is_forward_shorter(m, swept=port == LATERAL and second)
            forward = ahead | (~behind & shorter)
        arrived = there & ~ahead & ~behind
        ways = {
            LATERAL: here,
            LOCAL: ~here & arrived,
            FORWARD: ~here & ~arrived & forward,
            BACKWARD: ~here & ~arrived & ~forward,
        }
        for number, turn in enumerate(self.turns):
            m.d.comb += self.select[number].eq(ways[turn.output_port])
        return m

    @property
    def _cycle(self) -> tuple[int, int]:
        """Bits of a place, and the seam."""
        numbers = LineSweepNumbers(*self.network.routing.parameters.tolist())
        return numbers.cycle_bits, numbers.seam

    def _position(self, place: Value) -> Value:
        """Position on the line."""
        bits, seam = self._cycle
        return (place - seam)[:bits]

    def _wanted(self) -> _Wanted:
        """Lateral links that the packet still has to cross."""
        bits, seam = self._cycle
        router = self._position(self.address[:bits])
        difference = self.address[bits:] ^ self.destination[bits:]
        positions = [(place - seam) % (1 << bits) for place in range(len(difference))]
        links = list(zip(difference, positions, strict=True))
        last = (1 << bits) - 1
        here = Cat(link & (router == position) for link, position in links)
        ahead = Cat(link & (router < position) for link, position in links if position > 0)
        behind = Cat(link & (router > position) for link, position in links if position < last)
        return _Wanted(here.any(), ahead.any(), behind.any())

    def _is_forward_shorter(self, m: Module, *, swept: bool) -> Value:
        """Whether forward is the shorter way; after links crossed backward, without the seam."""
        bits, _ = self._cycle
        length = 1 << bits
        ways, rises = Signal(bits, name="ways"), Signal(name="rises")
        router, wanted = self._position(self.address[:bits]), self.destination[:bits]
        m.d.comb += [
            ways.eq(wanted - self.address[:bits]),
            rises.eq(router < self._position(wanted)),
        ]
        nearer, halfway = ways < length // 2, ways == length // 2
        return (nearer | halfway) & rises if swept else nearer | (halfway & rises)


class CycleExchange(Exchange):
    """LC2 at one place of the cycles: a lateral exchange, and a step round or along the cycle.

    A router reads only the entry of the jump table for its own dimension, because the packets move
    from dimension to dimension. With ``control=entry`` it has no other. With ``control=shift`` it
    has the table in shift registers, as in LC1. The lateral links of dimension n - 1 begin first;
    in that step the registers have its entry at their head. Each step brings the next lower
    dimension there and begins the links of the next lower place, so every router finds the entry of
    its own dimension when its turn comes. It holds its registers during its turn; afterwards they
    go on until they are as they were.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        topology = _topology(self.network)
        place = topology.cycle_position(self.kind.router)
        links = self.links
        (from_ahead, ahead), (from_behind, behind) = links[FORWARD], links[BACKWARD]
        schedule = self.control.schedule

        held = Signal(self.own.shape())
        differs: Value | int = 0
        m.d.comb += held.eq(self.own)
        if LATERAL in links:
            differs = self._lateral(m, *links[LATERAL], held)
        m.d.comb += [ahead.message.eq(held), behind.message.eq(held)]

        # The packets here and ahead are out of order; the router behind says the same of its own.
        greater = Signal()
        wanted, wanted_ahead = (
            message.destination[: topology.cycle_bits] for message in (self.own, from_ahead.message)
        )
        if place < topology.cycle_length - 1:
            m.d.comb += [greater.eq(wanted > wanted_ahead), ahead.request.eq(greater)]
        follows = from_behind.request if place > 0 else 0
        takes_ahead = Signal()
        m.d.comb += [
            takes_ahead.eq(schedule.ahead[place % 2]),
            self.taken.eq(Mux(takes_ahead, from_ahead.message, from_behind.message)),
            self.takes.eq(~schedule.sorts | Mux(takes_ahead, greater, follows)),
            self.raised.eq(
                Cat(
                    differs & ~schedule.second,
                    schedule.begins_second & (wanted != place),
                    differs & schedule.second,
                )
            ),
        ]
        return m

    def _lateral(self, m: Module, other: ExchangeLink, mine: ExchangeLink, held: Signal) -> Value:
        """Packet after the lateral link, into `held`; whether its ends request different things."""
        topology = _topology(self.network)
        place = topology.cycle_position(self.kind.router)
        dimension = topology.cycle_bits + place
        schedule, destination = self.control.schedule, self.own.destination
        turn, request = Signal(name="turn"), Signal(name="request")
        control = self.control
        form = _JUMP_TABLES[LC2.of(self.network.routing).options.control]
        m.submodules.jump_table = self.jump_table = table = form(self.network, dimension)
        m.d.comb += [table.loads.eq(control.loads), table.entry.eq(control.entry)]
        if LC2.of(self.network.routing).shift_steps:
            m.d.comb += table.shifts.eq(control.running & control.last & schedule.shifts & ~turn)
        first = table.wants_exchange(m, destination, destination[dimension])
        second = destination[dimension] ^ self.address[dimension]
        m.d.comb += [
            turn.eq(schedule.turn[place]),
            request.eq(turn & Mux(schedule.second, second, first)),
            mine.request.eq(request),
            mine.message.eq(self.own),
        ]
        with m.If(request & other.request):
            m.d.comb += held.eq(other.message)
        return turn & (request ^ other.request)


_JUMP_TABLES = {"shift": ShiftRegisters, "entry": OneEntry}
"""Where a router finds the entry of its dimension, by the key ``control``."""


class CycleSequencer(Sequencer):
    """Three periods of LC2, of 2 L, L and 2 L steps.

    Members of `layout`
    -------------------
    sorts, second : 1
        The second period, the third.
    begins_second : 1
        The third period's first step.
    ahead : 2
        Whether even places, and whether odd ones, look ahead: take the packet of ``F``, not ``B``.
    turn : x
        Places whose lateral links may exchange.
    shifts : 1
        Shift registers advance with this step, except at places whose turn it is; only with
        ``control=shift``.
    """

    @staticmethod
    def layout(network: Network) -> data.StructLayout:
        members = {"sorts": 1, "second": 1, "begins_second": 1, "ahead": 2}
        members |= {"turn": _topology(network).cube_bits}
        if LC2.of(network.routing).shift_steps:
            members |= {"shifts": 1}
        return data.StructLayout(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        topology = _topology(self.network)
        length = topology.cycle_length
        self.count = count = Signal(range(2 * length), name="count")
        self.period = period = Signal(3, init=1, name="period")
        after = Signal.like(count, name="after")
        period_after = Signal.like(period, name="period_after")
        ends = Signal()
        m.d.comb += [
            ends.eq(count == Mux(period[1], length - 1, 2 * length - 1)),
            self.final.eq(ends & period[2]),
            after.eq(Mux(ends, 0, count + 1)),
            period_after.eq(Mux(ends, period.rotate_left(1), period)),
        ]
        first, sorts, second = period_after
        turn = [
            Mux(
                second,
                (after >= place if place else 1) & (after < place + length),
                first & (after >= length - place) & (after < 2 * length - place),
            )
            for place in range(topology.cube_bits)
        ]
        at_first: View = {"ahead": 0b11}
        shown: View = Signal(self.o.shape(), init=at_first, name="shown")
        self.shown = shown
        m.d.comb += self.o.eq(shown)
        with m.If(self.advance):
            m.d.sync += [
                count.eq(after),
                period.eq(period_after),
                shown.sorts.eq(sorts),
                shown.second.eq(second),
                shown.begins_second.eq(second & (after == 0)),
                shown.ahead[0].eq(first | (sorts & ~after[0])),
                shown.ahead[1].eq(first | (sorts & after[0])),
                shown.turn.eq(Cat(turn)),
            ]
            steps = LC2.of(self.network.routing).shift_steps
            if steps:
                begins, ends = steps[0], steps[-1] - 2 * length
                m.d.sync += shown.shifts.eq((first & (after >= begins)) | (sorts & (after <= ends)))
        return m


ROUTE_COMPUTATIONS = {"unicast": UnicastRoute}

ESCAPE_COMPUTATIONS: dict = {}

EXCHANGES = {"lc2": CycleExchange}

SEQUENCERS = {"lc2": CycleSequencer}
