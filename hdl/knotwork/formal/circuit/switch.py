"""Switches of circuits: their bench and their properties."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from ...emit.router import router_ports
from ...gateware.circuit_layouts import Kind
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ..bench import Bench
from ..prover import Property
from .contract import Link, NetworkCycle


class SwitchBench(Bench):
    """Bench of a switch among neighbours and a controller that keep to `contract`.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Switch; its address is any.

    Members
    -------
    level, downers, uppers : int
        Its level, and its links down and up.
    into, out : list of Link
        Links by which it receives and sends, downers first.
    crosspoints, closed : list of dict of int to Value
        For each output, by input: the crosspoint's register; whether it is closed in this clock.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(kind.name, *router_ports(network, kind))
        self.network, self.kind = network, kind
        self.topology: Any = network.topology
        self.level = level = self.topology.level_of(kind.router)
        self.downers = self.topology.downers[level]
        self.uppers = len(kind.ports) - 1 - self.downers
        self.address, self.seed = self.constant("address"), self.constant("seed")
        self.environment(self.seed != 0)
        self.cycle = NetworkCycle(self, network)
        places = range(len(kind.ports) - 1)
        self.into = [self._link(place, "i") for place in places]
        self.out = [self._link(place, "o") for place in places]
        self.crosspoints = [self._by_input(place, "crosspoints") for place in places]
        self.closed = [self._by_input(place, "closed") for place in places]
        for rule in self.cycle.rules():
            self.environment(rule)
        for links, way in ((self.into, Link.sent), (self.out, Link.received)):
            for link in links:
                for rule in way(link).values():
                    self.environment(rule)

    def _link(self, place: int, way: str) -> Link:
        level, is_lower = self.level, place < self.downers
        low, high = self.topology.digit_places[level : level + 2]
        subtree: Value = self.address[high:]
        if is_lower:
            subtree = Cat(Const(self.child(place), high - low), subtree)
        port = self.topology.ports[self.kind.ports[1 + place]]
        return Link(
            self,
            self.network,
            self.cycle,
            f"{port}_{way}_",
            level=level if is_lower else level + 1,
            up=(way == "i") == is_lower,
            subtree=subtree,
        )

    def child(self, downer: int) -> int:
        """Child that a downer leads to."""
        return downer // self.topology.wires[self.level]

    def inputs(self, output: int) -> list[int]:
        """Inputs that may lead to an output: from above down only, and round to other children."""
        below = range(self.downers)
        if output >= self.downers:
            return [*below]
        round_ = [n for n in below if self.level == 0 or self.child(n) != self.child(output)]
        return [*round_, *range(self.downers, self.downers + self.uppers)]

    def _by_input(self, output: int, name: str) -> dict[int, Value]:
        inputs = self.inputs(output)
        if not inputs:
            return {}
        return dict(zip(inputs, self.inside(f"core.{name}_{output}", len(inputs)), strict=True))

    def turns(self, number: int) -> Value:
        """Whether the header on an input from below is for a PE below."""
        low = self.topology.digit_places[self.level + 1]
        return self.into[number].header.destination[low:] == self.address[low:]

    def wants(self, number: int, output: int) -> Value:
        """Whether an input shows a header that goes round or down to an output's child, or up."""
        link = self.into[number]
        if output >= self.downers:
            return link.is_header & ~self.turns(number)
        low, high = self.topology.digit_places[self.level : self.level + 2]
        right = link.header.destination[low:high] == self.child(output)
        return link.is_header & right & (self.turns(number) if number < self.downers else 1)


def _crosspoints(bench: SwitchBench) -> None:
    for link in bench.into:
        for fact in link.known_header():
            bench.claim(fact)
    released = bench.register(1, "released")
    bench.m.d.sync += released.eq(bench.cycle.control.release)
    for output, (found, closed) in enumerate(zip(bench.crosspoints, bench.closed, strict=True)):
        now, next_ = Cat(found.values()), Cat(closed.values())
        was = bench.register(len(now), "was")
        bench.m.d.sync += was.eq(next_)
        bench.claim(is_one_hot_or_zero(next_))
        bench.claim(now == Mux(released, 0, was))
        for number, crosspoint in found.items():
            bench.claim(~crosspoint | (closed[number] & bench.into[number].came))
            made = bench.named(closed[number] & ~crosspoint, "made")
            bench.claim(~made | (~now.any() & bench.wants(number, output)))
            bench.cover(made)
    for number in range(len(bench.into)):
        leads = [closed[number] for closed in bench.closed if number in closed]
        bench.claim(is_one_hot_or_zero(Cat(leads)))


def _state(bench: SwitchBench) -> Signal:
    """What the switch's choices in this network cycle follow from: xorshift32, a step a cycle."""
    fresh, kept = bench.register(1, "fresh", init=1), bench.register(32, "state")
    stepped: Value = Mux(fresh, bench.seed, kept)
    for shift in (13, -17, 5):
        stepped ^= (stepped << shift)[:32] if shift > 0 else stepped >> -shift
        stepped = bench.named(stepped, "stepped")
    with bench.m.If(bench.cycle.control.begin):
        bench.m.d.sync += [kept.eq(stepped), fresh.eq(0)]
    found = bench.inside("core.choice.state", 32)
    bench.claim(Mux(fresh, found == 0, (found == kept) & (found != 0)))
    bench.claim(~fresh | ~bench.cycle.cycling)
    return kept


def _grants(bench: SwitchBench) -> None:
    """Grants are as the specification's section on arbitration says, by arithmetic.

    The j-th of those that go up, by the distance from the input that is first in this network
    cycle, gets the j-th upper from the first; or the upper that its header names, if no one nearer
    does. The j-th that wants a child gets its n-th wire, n - j being those that it gave before.
    """
    state, d, u = _state(bench), bench.downers, bench.uppers
    start_a, start_b = (state[0:8] * d)[8:], (state[8:16] * max(u, 1))[8:]
    first = (state[16:24] * max(u, 1))[8:]
    distances = [(number + d - start_a) % d for number in range(d)]
    distances += [d + (number + u - start_b) % u for number in range(u)]

    def rank(number: int, rivals: dict[int, Value]) -> Value:
        """Rivals that are served before an input."""
        nearer = [
            rivals[other] & (distances[other] < distances[number])
            for other in rivals
            if other != number
        ]
        return bench.named(sum(nearer, Const(0)), "rank")

    def granted(output: int, number: int) -> Value:
        return bench.closed[output][number] & ~bench.crosspoints[output][number]

    words = bench.network.routing.word_layout
    for k in range(u):
        ups = {number: bench.wants(number, d + k) for number in range(d)}
        if words:
            ups = {
                number: ask & (bench.into[number].header[f"upper{bench.level}"] == k)
                for number, ask in ups.items()
            }
        for number, ask in ups.items():
            place = rank(number, ups)
            right = (place == 0) if words else (place < u) & ((first + place) % u == k)
            bench.claim(granted(d + k, number) == (ask & right))
            bench.cover(ask & right)
            if words and d > 1:
                bench.cover(ask & (place > 0))
            elif d > u:
                bench.cover(ask & (place >= u))
    wires = bench.topology.wires[bench.level]
    for child in range(d // wires):
        downers = range(child * wires, (child + 1) * wires)
        given = bench.register(range(wires + 1), "given")
        crosspoints = [Cat(bench.crosspoints[downer].values()).any() for downer in downers]
        bench.claim(Cat(crosspoints) == (Const(1) << given) - 1)
        asks = {number: bench.wants(number, downers[0]) for number in bench.inputs(downers[0])}
        news: list[Value] = []
        for number, ask in asks.items():
            place = bench.named(given + rank(number, asks), "place")
            news.append(ask & (place < wires))
            for wire, downer in enumerate(downers):
                bench.claim(granted(downer, number) == (ask & (place == wire)))
            rivals = len(asks) if number >= d else len([other for other in asks if other < d])
            if rivals > wires:
                bench.cover(ask & (place >= wires))
        release = bench.cycle.control.release
        bench.m.d.sync += given.eq(Mux(release, 0, given + sum(news, Const(0))))


def _circuits(bench: SwitchBench) -> None:
    """What crosspoints say of the links that they join."""
    for output, (link, found) in enumerate(zip(bench.out, bench.crosspoints, strict=True)):
        for fact in (*link.known_header(), link.known_back()):
            bench.claim(fact)
        bench.claim(link.seen == Cat(found.values()).any())
        for number, crosspoint in found.items():
            source = bench.into[number]
            bench.claim(~crosspoint | (source.lca == link.lca))
            if number < bench.downers and output < bench.downers:
                bench.claim(~crosspoint | (source.lca == bench.level))
    for number, link in enumerate(bench.into):
        ways = [
            found[number] & out.was_back
            for out, found in zip(bench.out, bench.crosspoints, strict=True)
            if number in found
        ]
        bench.claim(link.back == Cat(ways).any())
        bench.claim(link.known_back())


def _transfer(bench: SwitchBench) -> None:
    for link, found in zip(bench.out, bench.crosspoints, strict=True):
        bench.claim(Cat(found.values()).any() | (link.kind == Kind.IDLE.value))
        for number, crosspoint in found.items():
            source = bench.into[number]
            bench.claim(~crosspoint | (link.kind == source.was_kind))
            bench.claim(~crosspoint | ~link.kind.any() | (link.data == source.was_data))
            bench.cover(crosspoint & (link.kind == Kind.LAST.value) & source.was_back)
    for number, link in enumerate(bench.into):
        leads = [found[number] for found in bench.crosspoints if number in found]
        bench.claim(~link.is_flit | Cat(leads).any())


def _acknowledge(bench: SwitchBench) -> None:
    for number, link in enumerate(bench.into):
        for rule in link.received().values():
            bench.claim(rule)
        leads = [found[number] for found in bench.crosspoints if number in found]
        bench.claim(~link.back | Cat(leads).any())
        is_below = number < bench.downers
        for lca in range(bench.level + (not is_below), bench.cycle.top + 1):
            bench.cover(link.back & ~link.was_back & (link.lca == lca))
        bench.cover(link.came & ~link.back & (bench.cycle.clock == bench.cycle.first_flit))


def _links(bench: SwitchBench) -> None:
    for link in bench.out:
        for rule in link.sent().values():
            bench.claim(rule)
        bench.cover(link.is_header)
        bench.cover(link.kind == Kind.LAST.value)


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a switch, lemmas first."""
    topology: Any = network.topology
    level = topology.level_of(kind.router)
    reach = 6 * topology.levels + 8
    make = partial(Property, cover=reach)
    crosspoints = make(
        name="crosspoints",
        text="no output has two inputs and no input two outputs; only headers make crosspoints, "
        "up, round or down and never from above up; they stay until the release",
        claim=_crosspoints,
    )
    circuits = make(
        name="circuits",
        text="an input hears of an acknowledge by its own crosspoint alone, a clock later",
        claim=_circuits,
        lemmas=(crosspoints,),
    )
    base = (crosspoints, circuits)
    transfer = make(
        name="transfer",
        text="what comes in leaves by its crosspoint a clock later, unchanged, and nothing else",
        claim=_transfer,
        lemmas=base,
    )
    return [
        crosspoints,
        make(
            name="grants",
            text="in the clock in which it comes a header is granted its output, or refused, by "
            "the order of the network cycle's state",
            claim=_grants,
            lemmas=(crosspoints,),
        ),
        circuits,
        transfer,
        make(
            name="acknowledge",
            text=f"an acknowledge reaches an input from below at clock 4L+3-{level}, as those of "
            "its outputs come in their clocks; a header that was refused gets none",
            claim=_acknowledge,
            lemmas=base,
        ),
        make(
            name="links",
            text="headers and flits leave in the clocks that the neighbours expect",
            claim=_links,
            lemmas=(*base, transfer),
        ),
        make(
            name="assertions",
            text="what the Verilog asserts of itself",
            claim=lambda bench: bench.cover(bench.cycle.control.sample),
            lemmas=base,
            own=True,
        ),
    ]
