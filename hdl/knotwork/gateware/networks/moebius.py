"""Gates of the Möbius cubes."""

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ...topology import LOCAL
from ...topology.moebius import Moebius
from ..parts.route import HighestDifference, RouteComputation


class ShortestPathRoute(RouteComputation):
    """Next dimension of a shortest path: `routing.moebius.next_dimension` in gates.

    One scan from the highest bit down, with two bits of state per position, serves every dimension
    in which a path can begin; a second scan, two bits per step, finds the pairs 01.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        topology = self.network.topology
        n, twist = topology.address_width, Moebius.of(self.network.topology).twist
        difference = Signal(n, name="difference")
        kinds = Signal(n, name="kinds")
        top = Signal(n, name="top")
        m.d.comb += [
            difference.eq(self.address ^ self.destination),
            kinds.eq(Cat(self.address[1:], Const(twist, 1))),
            top.eq(Cat(difference[i] & ~difference[i + 1 :].any() for i in range(n))),
        ]
        pairs = self._plain_pairs(m, difference)
        # links taken as they are; dimensions to scan below
        go = Signal(n, name="go")
        start = Signal(n, name="start")
        for i in range(n):
            two = difference[i - 1] if i > 0 else 0
            stays = pairs[i - 2] if i > 1 else 0
            into_go = top[i] & ~kinds[i] & (~two | (stays == self.address[i]))
            into_start = top[i] & kinds[i]
            if i < n - 1:  # the dimension above is the top one, and this its second
                plain = top[i + 1] & ~kinds[i + 1] & difference[i]
                above_stays = pairs[i - 1] if i > 0 else 0
                into_go |= plain & above_stays & ~self.address[i + 1]
                into_start |= plain & ~above_stays & self.address[i + 1]
            m.d.comb += [go[i].eq(into_go), start[i].eq(into_start)]
        chosen = Signal(n)
        m.d.comb += chosen.eq(go | self._scan(m, difference, kinds, start))
        for number, turn in enumerate(self.turns):
            leaves = turn.output_port != LOCAL
            bit = chosen[turn.output_port - 1] if leaves else ~difference.any()
            m.d.comb += self.select[number].eq(bit)
        return m

    @staticmethod
    def _plain_pairs(m: Module, difference: Signal) -> Signal:
        """Whether the bits from each position down are 01 again and again, then 00 or 0."""
        stays = Signal(len(difference), name="stays")
        m.d.comb += stays[0].eq(~difference[0])
        for j in range(1, len(difference)):
            rest = stays[j - 2] if j > 1 else 0
            m.d.comb += stays[j].eq(~difference[j] & (~difference[j - 1] | rest))
        return stays

    @staticmethod
    def _scan(m: Module, difference: Signal, kinds: Signal, start: Signal) -> Value:
        """Highest term below the start, of the expansion of the complement, that has its kind.

        The start itself where there is none.
        """
        n = len(difference)
        # State on leaving each position; bit n is the state at first.
        searching, inverted, skip = (
            Signal(n + 1, name=name) for name in ("searching", "inverted", "skip")
        )
        found = Signal(n, name="found")
        for j in reversed(range(n)):
            term, kind = Signal(name=f"term_{j}"), Signal(name=f"kind_{j}")
            below = difference[j - 1] ^ inverted[j + 1] if j > 0 else 0
            m.d.comb += [
                term.eq(searching[j + 1] & ~skip[j + 1] & (difference[j] ^ inverted[j + 1])),
                kind.eq(below),
                found[j].eq(term & ((kind == kinds[j]) if j > 0 else 1)),
                searching[j].eq(searching[j + 1] & ~found[j] | start[j]),
                inverted[j].eq(inverted[j + 1] ^ (term & kind) | start[j]),
                skip[j].eq(term & ~start[j]),
            ]
        return found | (start & searching[0].replicate(n))


ROUTE_COMPUTATIONS = {"dfr": HighestDifference, "spr": ShortestPathRoute}

ESCAPE_COMPUTATIONS = {"spr": HighestDifference}
