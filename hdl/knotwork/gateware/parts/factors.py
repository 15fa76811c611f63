"""Route computation of product networks: the factors' decisions in gates."""

from collections.abc import Callable, Hashable
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...routing import Turn
from ...routing.product import FactorNumbers
from ...topology import LOCAL
from ...topology.factors import Factor, Line, OneWayRing, Ring
from ...topology.petersen import DISTANCES, NEIGHBOURS, NEXT_PORTS, PetersenGraph
from ...topology.product import ProductTopology
from ..component import Component
from .adaptive_route import NearerRoute
from .route import RouteComputation


def product_topology(network: Network) -> ProductTopology:
    """Topology, which must be a product."""
    return ProductTopology.of(network.topology)


class PlacedFactor(NamedTuple):
    """Factor of a network: its ports and the bits of its code.

    Members
    -------
    factor : Factor
        The factor.
    ports : range
        Its ports among the router's.
    bits : slice
        Its code in an address.
    last_class : int
        Last class that packets use there.
    """

    factor: Factor
    ports: range
    bits: slice
    last_class: int


def placed_factors(network: Network) -> list[PlacedFactor]:
    """Factors of a network, in order."""
    found, port, bit = [], 1, 0
    numbers = FactorNumbers(*network.routing.parameters.tolist())
    for factor in product_topology(network).factors:
        ports = range(port, port + len(factor.ports))
        bits = slice(bit, bit + factor.width)
        found.append(PlacedFactor(factor, ports, bits, numbers.last_class(factor)))
        port, bit = ports.stop, bit + factor.width
    return found


class FactorStep(NamedTuple):
    """Decision in one factor.

    Members
    -------
    stays : Value
        The positions are the same.
    ports : list of Value
        Port to take where they are not, one-hot.
    late : Value
        Whether in class 1.
    """

    stays: Value
    ports: list[Value]
    late: Value


class FactorRoute(RouteComputation):
    """The first factor in which the positions differ: `routing.product.factor_by_factor` in gates.

    A flit that came by a factor's port has finished the factors before it. On a ring or a line it
    keeps its direction; in a Petersen graph, class 1 marks its last hop.
    """

    @property
    def parameters(self) -> Hashable:
        """The factors still to go, what the way that a flit came settles, and where turns lead."""
        classes = self.network.routing.classes
        came, input_class = self.turns[0].input_port, self.turns[0].input_vc % classes
        settled = []
        for place in self.places():
            is_here, is_row = came in place.ports, place.factor.is_row
            keeps_way = is_here and is_row and not isinstance(place.factor, Line)
            ends = is_here and not is_row and bool(place.last_class)
            settled.append(
                (
                    self.is_finished(place),
                    came == place.ports[0] if keeps_way else None,
                    input_class == place.last_class if ends else None,
                )
            )
        turns = tuple((turn.output_port, turn.output_vc % classes) for turn in self.turns)
        return self.network, tuple(settled), turns

    def places(self) -> list[PlacedFactor]:
        """Factors in the order in which packets take them."""
        return placed_factors(self.network)

    def is_finished(self, place: PlacedFactor) -> bool:
        """Whether a flit has finished a factor: it came by a port of a later one."""
        came = self.turns[0].input_port
        return came != LOCAL and came >= place.ports.stop

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routing = self.network.routing
        came, input_class = self.turns[0].input_port, self.turns[0].input_vc % routing.classes
        before: Value = Const(1)
        chosen: dict[tuple[int, int], Value] = {}
        for number, place in enumerate(self.places()):
            if self.is_finished(place):
                continue
            here, there = (end[place.bits] for end in (self.address, self.destination))
            sub = Module()
            m.submodules[f"factor_{number}_{place.factor.code_name}"] = sub
            way = self._step(sub, place, here, there)
            stays = way.stays
            if came in place.ports and not place.factor.is_row and place.last_class:
                stays = Const(input_class == place.last_class)
            for port, taken in zip(place.ports, way.ports, strict=True):
                for vc_class in range(place.last_class + 1):
                    fits = way.late if vc_class else ~way.late
                    goes = before & ~stays & taken
                    chosen[port, vc_class] = goes & fits if place.last_class else goes
            before = before & stays
        chosen[LOCAL, 0] = before
        for number, turn in enumerate(self.turns):
            m.d.comb += self.select[number].eq(self._of(chosen, turn))
        return m

    def _of(self, chosen: dict[tuple[int, int], Value], turn: Turn) -> Value:
        """Whether a turn's output is the chosen one."""
        return chosen[turn.output_port, turn.output_vc % self.network.routing.classes]

    def _step(self, m: Module, place: PlacedFactor, here: Value, there: Value) -> FactorStep:
        came = self.turns[0].input_port
        forward = Const(came == place.ports[0]) if came in place.ports else None
        return FACTOR_STEPS[type(place.factor)](m, place.factor, here, there, forward)


class NearerFactors(NearerRoute):
    """By both ports of every factor that is a line: towards the destination."""

    def nearer(self, m: Module) -> dict[int, Value]:
        found: dict[int, Value] = {}
        port, bit = 1, 0
        for number, factor in enumerate(product_topology(self.network).factors):
            code = slice(bit, bit + factor.width)
            here, there = self.address[code], self.destination[code]
            m.submodules[f"factor_{number}_{factor.code_name}"] = sub = Module()
            step = line_step(sub, factor, here, there, None)
            for way in step.ports:
                found[port] = ~step.stays & way
                port += 1
            bit += factor.width
        return found


def petersen_step(
    m: Module, factor: Factor, here: Value, there: Value, forward: Value | None
) -> FactorStep:
    """Next hop in a Petersen graph, by its code."""
    del forward
    m.submodules.step = step = (
        IndexedPetersenStep if factor.code_name == "index" else WordedPetersenStep
    )()
    m.d.comb += [step.here.eq(here), step.there.eq(there)]
    return FactorStep(step.stays, list(step.ports), step.late)


class PetersenStep(Component):
    """Next hop in a Petersen graph; a subclass says how it is found.

    Latency
    -------
    0 cycles.

    Members
    -------
    here, there : In
        Codes of two positions.
    stays : Out(1)
        They are the same.
    ports : Out(3)
        Port to take where they are not, one-hot.
    late : Out(1)
        Whether in class 1: for the last hop.
    """

    here: Signal
    there: Signal
    stays: Signal
    ports: Signal
    late: Signal

    def __init__(self, code_bits: int) -> None:
        ways = {"stays": Out(1), "ports": Out(3), "late": Out(1)}
        super().__init__({"here": In(code_bits), "there": In(code_bits), **ways})

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError


class IndexedPetersenStep(PetersenStep):
    """Next hop in a Petersen graph by a table of positions."""

    def __init__(self) -> None:
        super().__init__(PetersenGraph("index").width)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.stays.eq(self.here == self.there)
        with m.Switch(Cat(self.there, self.here)):
            for a in range(10):
                for b in range(10):
                    if a != b:
                        with m.Case(a << 4 | b):
                            port, near = int(NEXT_PORTS[a, b]) - 1, int(DISTANCES[a, b]) == 1
                            m.d.comb += [self.ports.eq(1 << port), self.late.eq(near)]
        return m


def words_apart(one: Value, other: Value) -> Value:
    """Distance of two positions by their words: placed_factors where a meets b."""
    pairs = range(0, len(one), 2)
    meets = [one[i] & other[i + 1] | one[i + 1] & other[i] for i in pairs]
    return sum(meets, Const(0))[:2]


class WordedPetersenStep(PetersenStep):
    """Next hop in a Petersen graph to the neighbour whose word is nearer."""

    def __init__(self) -> None:
        super().__init__(PetersenGraph("word").width)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        code = PetersenGraph("word").code
        around = [Signal(12, name=f"neighbour_{port}") for port in range(3)]
        with m.Switch(self.here):
            for position in range(10):
                with m.Case(code(position)):
                    near = [code(int(far)) for far in NEIGHBOURS[position]]
                    m.d.comb += [word.eq(far) for word, far in zip(around, near, strict=True)]
        left = Signal(2, name="hops_left")
        m.d.comb += left.eq(words_apart(self.here, self.there))
        after = [words_apart(word, self.there) for word in around]
        m.d.comb += [
            self.stays.eq(left == 0),
            self.ports.eq(Cat(Mux(left[0], hops == 0, hops == 1) for hops in after)),
            self.late.eq(left[0]),
        ]
        return m


def ring_step(
    m: Module, factor: Factor, here: Value, there: Value, forward: Value | None
) -> FactorStep:
    """Direction round a ring; `forward` where that is settled."""
    if factor.code_name == "johnson":
        if forward is None:
            back = Signal()
            m.d.comb += back.eq(_is_back_shorter(here, there))
            forward = ~back
            if not factor.ties_back:
                forward |= (there == ~here) & ~here.xor()
        # Within one half no shortest path passes the dateline; between the halves, one does.
        late = Mux(forward, ~here[-1] | there[-1], here[-1] | ~there[-1])
        return FactorStep(here == there, [~forward, forward], late)
    rises = Signal()
    m.d.comb += rises.eq(there > here)
    if forward is None:
        size, bits = factor.size, factor.width
        ahead = (there - here)[:bits]
        if size < 1 << bits:
            ahead = Mux(rises, ahead, (ahead + size)[:bits])
        forward = ahead < (size + 1) // 2
        if size % 2 == 0 and not factor.ties_back:
            forward |= (ahead == size // 2) & ~here[0]
    return FactorStep(here == there, [~forward, forward], rises == forward)


def line_step(
    m: Module, factor: Factor, here: Value, there: Value, forward: Value | None
) -> FactorStep:
    """Direction along a line: towards the destination."""
    del m, factor, forward
    rises = there > here
    return FactorStep(here == there, [~rises, rises], Const(0))


def one_way_ring_step(
    m: Module, factor: Factor, here: Value, there: Value, forward: Value | None
) -> FactorStep:
    """Direction round a ring whose links lead one way."""
    del m, forward
    return FactorStep(here == there, [Const(1)], _is_ahead(factor, here, there))


FACTOR_STEPS: dict[
    type[Factor], Callable[[Module, Factor, Value, Value, Value | None], FactorStep]
] = {
    PetersenGraph: petersen_step,
    Ring: ring_step,
    OneWayRing: one_way_ring_step,
    Line: line_step,
}
"""Gates that find the way in each kind of factor: module, factor, positions here and there, and
whether the way is forward where the input port settles that."""


def _is_ahead(factor: Factor, here: Value, there: Value) -> Value:
    """Whether a position has a greater number."""
    if factor.code_name == "binary":
        return there > here
    # A Johnson code of bits b - 1..0: 0..b fill it from below, the others empty it from below.
    fuller = (there & ~here).any()
    return Mux(here[-1], there[-1] & (here & ~there).any(), there[-1] | fuller)


def _is_back_shorter(here: Value, there: Value) -> Value:
    """Whether the way back is shortest: the bit that it flips first has to be flipped."""
    bits = len(here)
    edge = [~(here[0] ^ here[-1]), *(here[i - 1] ^ here[i] for i in range(1, bits))]
    differs = here ^ there
    return Cat(edge[i] & differs[i - 1] for i in range(bits)).any()
