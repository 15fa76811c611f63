"""Route computation of Valiant's routing: the network's own gates, to a drawn node and from it."""

from functools import cache
from typing import ClassVar

from amaranth.hdl import Const, Module, Signal, Value

from ...routing import Turn
from ...routing.valiant import Valiant
from ...topology import LOCAL
from .route import RouteComputation, own_network


class ValiantRoute(RouteComputation):
    """Decides as the gates of another routing do, for the drawn node or for the destination.

    At the drawn node's router a packet is one that its node has sent.
    """

    gates: ClassVar[type[RouteComputation]]
    """Gates of the routing to the drawn node and from it."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        width = len(self.address)
        end, node = self.destination[:width], self.destination[width:]
        came = self.turns[0].input_port
        if self._class_of(self.turns[0].input_vc) >= self._classes:
            routed = self._route(
                m, "second", end, [self._second(turn, came) for turn in self.turns]
            )
            m.d.comb += self.select.eq(routed)
            return m
        is_there = Signal(name="is_there")
        m.d.comb += is_there.eq(node == self.address)
        goes_on = [turn for turn in self.turns if self._is_in_first(turn)]
        begins = [turn for turn in self.turns if not self._is_in_first(turn)]
        first = self._route(m, "first", node, [self._first(turn) for turn in goes_on])
        second = self._route(m, "second", end, [self._second(turn, LOCAL) for turn in begins])
        for number, turn in enumerate(self.turns):
            if turn in goes_on:
                chosen = first[goes_on.index(turn)] & ~is_there
            else:
                chosen = second[begins.index(turn)] & is_there
            m.d.comb += self.select[number].eq(chosen)
        return m

    @property
    def _classes(self) -> int:
        """Classes of the way to the drawn node, and of that from it."""
        return Valiant.of(self.network.routing).base.classes

    def _class_of(self, vc: int) -> int:
        return vc % self.network.routing.classes

    def _is_in_first(self, turn: Turn) -> bool:
        """Whether a turn is one of the way to the drawn node."""
        is_link = not self.network.topology.is_local(turn.output_port)
        return is_link and self._class_of(turn.output_vc) < self._classes

    def _first(self, turn: Turn) -> Turn:
        """Turn of the other routing that one of the way to the drawn node stands for."""
        input_vc, output_vc = (self._class_of(vc) for vc in (turn.input_vc, turn.output_vc))
        return Turn(turn.input_port, input_vc, turn.output_port, output_vc)

    def _second(self, turn: Turn, came: int) -> Turn:
        """Turn of the other routing that one of the way from it stands for, by an input port."""
        input_vc, output_vc = (
            0 if self.network.topology.is_local(port) else self._class_of(vc) - self._classes
            for port, vc in ((came, turn.input_vc), (turn.output_port, turn.output_vc))
        )
        return Turn(came, input_vc, turn.output_port, output_vc)

    def _route(self, m: Module, name: str, destination: Value, turns: list[Turn]) -> Value:
        """Turns that the gates of the other routing select."""
        if not turns:
            return Const(0, 0)
        m.submodules[name] = route = self.gates(
            own_network(self.network), tuple(turns), router=self.router
        )
        m.d.comb += [route.address.eq(self.address), route.destination.eq(destination)]
        return route.select


@cache
def valiant_route(gates: type[RouteComputation]) -> type[ValiantRoute]:
    """Gates of Valiant's routing, from those of the routing to the drawn node and from it."""
    return type(f"Valiant{gates.__name__}", (ValiantRoute,), {"gates": gates})
