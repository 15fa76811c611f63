"""Route computation of O1TURN: gates of dimension order, and of the opposite order."""

from amaranth.hdl import Module, Value

from ...routing import Turn
from ...topology import LOCAL
from .factors import FactorRoute, PlacedFactor, placed_factors
from .route import RouteComputation, own_network


class LastFactorFirst(FactorRoute):
    """The last factor in which the positions differ: `routing.o1turn.last_factor_first`."""

    def places(self) -> list[PlacedFactor]:
        return placed_factors(self.network)[::-1]

    def is_finished(self, place: PlacedFactor) -> bool:
        came = self.turns[0].input_port
        return came != LOCAL and came < place.ports.start


ORDERS = (FactorRoute, LastFactorFirst)
"""Gates of each order, by the number that is drawn for it."""


class EitherOrder(RouteComputation):
    """In the order that the source drew; behind a link the flit's class says which."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.turns[0].input_port != LOCAL:
            gates = ORDERS[self._order(self.turns[0].input_vc)]
            m.d.comb += self.select.eq(self._route(m, "route", gates, self.turns))
            return m
        opposite, found = self.destination[-1], []
        for number, (name, gates) in enumerate(zip(("order", "opposite"), ORDERS, strict=True)):
            turns = tuple(turn for turn in self.turns if self._is_of(turn, number))
            routed = self._route(m, name, gates, turns)
            found.append(dict(zip(turns, routed, strict=True)))
        for place, turn in enumerate(self.turns):
            first, second = (routed.get(turn, 0) for routed in found)
            m.d.comb += self.select[place].eq((first & ~opposite) | (second & opposite))
        return m

    @property
    def _classes(self) -> int:
        """Classes of one order."""
        return self.network.routing.classes // len(ORDERS)

    def _order(self, vc: int) -> int:
        """Order whose packets are in a virtual channel of a link."""
        return vc % self.network.routing.classes // self._classes

    def _is_of(self, turn: Turn, order: int) -> bool:
        """Whether a packet from the node takes a turn in this order."""
        return turn.output_port == LOCAL or self._order(turn.output_vc) == order

    def _route(
        self, m: Module, name: str, gates: type[RouteComputation], turns: tuple[Turn, ...]
    ) -> Value:
        """Turns that the gates of an order select."""
        of_one = tuple(
            Turn(come, vc % self._classes, go, out_vc % self._classes)
            for come, vc, go, out_vc in turns
        )
        m.submodules[name] = route = gates(own_network(self.network), of_one, router=self.router)
        m.d.comb += [
            route.address.eq(self.address),
            route.destination.eq(self.destination[: len(self.address)]),
        ]
        return route.select
