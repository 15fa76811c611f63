"""Gates of the torus-connected Petersen graph: route computation and branches."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Const, Module, Value

from ...routing import Turn
from ...topology import LOCAL
from ...topology.petersen import DISTANCES
from ..parts.factors import FactorRoute, PlacedFactor, placed_factors, words_apart
from ..parts.route import BranchComputation


class TtlBranch(BranchComputation):
    """Copies by hops to live: `routing.tcpg.by_ttl` in gates."""

    @property
    def parameters(self) -> Hashable:
        """The factor whose port copies come by, and where they leave, in which class."""
        came, found = self.turns[0].input_port, placed_factors(self.network)
        within = tuple(came in place.ports for place in found)
        return self.network, within, tuple(self._where(turn, found) for turn in self.turns)

    def _where(self, turn: Turn, found: list[PlacedFactor]) -> Hashable:
        """Factor in which a copy leaves, which way round a ring, and in which class."""
        out_class = turn.output_vc % self.network.routing.classes
        for number, place in enumerate(found):
            if turn.output_port in place.ports:
                way = turn.output_port - place.ports[0] if place.factor.is_row else None
                return number, way, out_class
        return LOCAL

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number, turn in enumerate(self.turns):
            if turn.output_port == LOCAL:
                m.d.comb += self.select[number].eq(1)
                continue
            (place,) = [p for p in placed_factors(self.network) if turn.output_port in p.ports]
            m.d.comb += self.labels[number].eq(self._label(turn, place))
            if turn.input_port not in place.ports:
                m.d.comb += self.select[number].eq(1)
            elif not place.factor.is_row:
                m.d.comb += self.select[number].eq(self._goes_on(turn, place))
            else:
                fits = self._has_class(turn, place)
                m.d.comb += self.select[number].eq(self._goes_on(turn, place) & fits)
        return m

    def _label(self, turn: Turn, place: PlacedFactor) -> Value:
        """Hops to live that the copy has."""
        if turn.input_port in place.ports:
            return self.label - 1
        if not place.factor.is_row:
            return Const(1)
        return Const(place.factor.size // 2 - 1 - (turn.output_port - place.ports[0]))

    def _goes_on(self, turn: Turn, place: PlacedFactor) -> Value:
        """Whether a copy that came by the factor's port has hops to live in it."""
        del turn, place
        return self.label != 0

    def _has_class(self, turn: Turn, place: PlacedFactor) -> Value:
        """Whether a copy that goes on leaves in the turn's class: class 1 after the dateline."""
        others = [other for other in self.turns if other.output_port == turn.output_port]
        if len(others) == 1:
            return Const(1)
        factor, forward = place.factor, turn.output_port == place.ports[1]
        edge = factor.code(0 if forward else factor.size - 1)
        over = self.address[place.bits] == edge
        return over if turn.output_vc % self.network.routing.classes else ~over


class AddressBranch(TtlBranch):
    """Copies by the source's address: `routing.tcpg.by_address` in gates.

    A run round a ring ends half way round, and one hop earlier if forward: there the Johnson code
    is the complement of the source's.
    """

    def _label(self, turn: Turn, place: PlacedFactor) -> Value:
        del turn, place
        return Const(0, 0)

    def _goes_on(self, turn: Turn, place: PlacedFactor) -> Value:
        factor = place.factor
        here, source = self.address[place.bits], self.source[place.bits]
        if not factor.is_row:
            if factor.code_name == "word":
                return words_apart(here, source) == 1
            near = [(a, b) for a in range(10) for b in range(10) if DISTANCES[a, b] == 1]
            return Cat((here == a) & (source == b) for a, b in near).any()
        forward = turn.output_port == place.ports[1]
        if factor.code_name == "johnson":
            end = Cat(~source[1:], source[0]) if forward else ~source
            return here != end
        half, size = factor.size // 2, factor.size
        gone = half - 1 if forward else half
        ends = (source + gone)[: factor.width], (source + gone - size)[: factor.width]
        wraps = source >= size - gone
        return (here != ends[0]) & ~wraps | (here != ends[1]) & wraps


ROUTE_COMPUTATIONS = {"petersen_first": FactorRoute}

ESCAPE_COMPUTATIONS: dict = {}

BRANCH_COMPUTATIONS = {"ttl": TtlBranch, "address": AddressBranch}
