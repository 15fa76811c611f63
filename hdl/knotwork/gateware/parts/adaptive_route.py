"""Route computation of adaptive routings: the ways that get nearer, and those of escapes."""

from functools import cache
from typing import ClassVar

from amaranth.hdl import Cat, Module, Value

from ...routing import Turn
from ...topology import LOCAL
from .route import RouteComputation, own_network


class NearerRoute(RouteComputation):
    """One of the ways that get nearer: `routing.adaptive.nearer_ways` in gates.

    A subclass gives `nearer`. With fewer such ports than ways, these begin again with the first.
    """

    def nearer(self, m: Module) -> dict[int, Value]:
        """Whether a packet gets nearer by each port of the router."""
        raise NotImplementedError

    def elaborate(self, platform: object) -> Module:
        m = Module()
        all_ports = self.nearer(m)
        taken = {turn.output_port for turn in self.turns}
        ports = sorted(port for port in all_ports if port in taken)
        chosen = dict(zip(ports, self._chosen([all_ports[port] for port in ports]), strict=True))
        chosen[LOCAL] = ~Cat(all_ports[port] for port in ports).any()
        for number, turn in enumerate(self.turns):
            m.d.comb += self.select[number].eq(chosen[turn.output_port])
        return m

    def _chosen(self, nearer: list[Value]) -> list[Value]:
        """The one of them that is this way's."""
        way = 0
        if self._rule_class is not None:
            way = self._rule_class - self.network.routing.classes + 1
        if not nearer:
            return []
        # Of each number of the ports up to the way's: which one has it, and whether there is one.
        left, ranked, found = nearer, [], []
        for _ in range(way + 1):
            first = [one & ~Cat(left[:place]).any() for place, one in enumerate(left)]
            found.append(Cat(left).any())
            ranked.append(first)
            left = [one & ~taken for one, taken in zip(left, first, strict=True)]
        chosen = ranked[way]
        for count in range(1, way + 1):  # there are so many and no more
            is_count = found[count - 1] & ~found[count]
            again = ranked[way % count]
            chosen = [one | (is_count & other) for one, other in zip(chosen, again, strict=True)]
        return chosen


class DifferingBits(NearerRoute):
    """Port i + 1 gets nearer where address and destination differ in bit i."""

    def nearer(self, m: Module) -> dict[int, Value]:
        del m
        difference = self.address ^ self.destination
        return {bit + 1: difference[bit] for bit in range(len(difference))}


class EscapedRoute(RouteComputation):
    """Decides as another routing's gates do, in the classes behind that of packets that choose.

    A packet that escapes is one that its node has sent here.
    """

    gates: ClassVar[type[RouteComputation]]
    """Gates of the routing to which packets escape."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        turns = tuple(self._of_escape(turn) for turn in self.turns)
        m.submodules.route = route = self.gates(
            own_network(self.network), turns, router=self.router
        )
        m.d.comb += [
            route.address.eq(self.address),
            route.destination.eq(self.destination),
            self.select.eq(route.select),
        ]
        return m

    def _of_escape(self, turn: Turn) -> Turn:
        """Turn of the other routing that a turn stands for."""
        classes = self.network.routing.classes
        to_node = self.network.topology.is_local(turn.output_port)
        output_vc = turn.output_vc if to_node else turn.output_vc % classes - 1
        if self._rule_class is not None:
            return Turn(LOCAL, 0, turn.output_port, output_vc)
        return Turn(turn.input_port, turn.input_vc % classes - 1, turn.output_port, output_vc)


@cache
def escaped_route(gates: type[RouteComputation]) -> type[EscapedRoute]:
    """Gates of packets that have escaped, from those of the routing to which they do."""
    return type(f"Escaped{gates.__name__}", (EscapedRoute,), {"gates": gates})
