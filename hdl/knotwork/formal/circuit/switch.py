"""Circuit switch: its harness, and its properties."""

from collections.abc import Sequence
from functools import partial

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from ...emit.modules import planned_ports
from ...gateware.circuit.layouts import Kind, group_names
from ...gateware.circuit.switch import CircuitSwitch
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.wiring_plan import router_module
from ...network import Network, RouterKind
from ...routing.circuits import cycle_clocks
from ...topology import LeastCommonAncestor
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .contract import Link, NetworkCycle, is_node, levels_of, longest_packet


class SwitchHarness(Harness):
    """Harness of a switch among neighbours and a controller that keep to `contract`.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Switch; its address is any constant.

    Members
    -------
    level, downers, uppers : int
        Its level, and the numbers of its links down and up.
    into, out : list of Link
        Links by which it receives and sends, downers first.
    crosspoints, closed : list of dict of int to Value
        For each output, by input: the crosspoint's register; whether it is closed in this cycle.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        module = router_module(network, kind)
        super().__init__(kind.name, *planned_ports(network, module), Elaboration(module.make()))
        self.switch = switch = self.component("", CircuitSwitch)
        self.network, self.kind = network, kind
        self.topology = levels_of(network)
        self.level = level = self.topology.level_of(kind.router)
        self.downers = self.topology.downers[level]
        self.uppers = len(kind.ports) - 1 - self.downers
        self.address, self.seed = self.constant("address"), self.constant("seed")
        self.environment(self.seed != 0)
        if not self.topology.turns_round:  # that of the first PE below
            self.environment(is_node(network, self.address) & ~self.address[-1])
        self.cycle = NetworkCycle(self, network)
        places = range(len(kind.ports) - 1)
        self.into = [self._link(place, "i") for place in places]
        self.out = [self._link(place, "o") for place in places]
        self.crosspoints = [self._by_input(place, switch.crosspoints) for place in places]
        self.closed = [self._by_input(place, switch.closed) for place in places]
        for rule in self.cycle.rules():
            self.environment(rule)
        for links, rules in ((self.into, Link.sent), (self.out, Link.received)):
            for link in links:
                for rule in rules(link).values():
                    self.environment(rule)

    def _link(self, place: int, direction: str) -> Link:
        level, is_lower = self.level, place < self.downers
        low, high = self.topology.digit_offsets[level : level + 2]
        subtree: Value = self.address[high:]
        if is_lower:
            subtree = Cat(Const(self.child(place), high - low), subtree)
        names = group_names(self.network, self.kind.ports[1 + place])
        return Link(
            self,
            self.network,
            self.cycle,
            f"{names.into if direction == 'i' else names.out}_",
            level=level if is_lower else level + 1,
            up=(direction == "i") == is_lower,
            subtree=subtree,
        )

    def child(self, downer: int) -> int:
        """Child to which a downer leads."""
        return downer // self.topology.wires[self.level]

    def inputs(self, output: int) -> list[int]:
        """Inputs that may lead to an output."""
        return inputs_of(self.network, self.kind, output)

    def _by_input(self, output: int, by_output: Sequence[Signal]) -> dict[int, Value]:
        inputs = self.inputs(output)
        if not inputs:
            return {}
        return dict(zip(inputs, self.probe(by_output[output]), strict=True))

    def turns(self, number: int) -> Value:
        """Whether the header on an input from below is for a PE below; in one-way use none is."""
        if not self.topology.turns_round:
            return Const(0)
        low = self.topology.digit_offsets[self.level + 1]
        return self.into[number].header.destination[low:] == self.address[low:]

    def named_upper(self, number: int) -> Value | None:
        """Upper that the header on an input from below names; None where the switch chooses.

        In one-way use it is a digit of the terminal's number, on level 0 the highest.
        """
        header = self.into[number].header
        if self.network.routing.word_layout:
            return header[f"upper{self.level}"]
        if self.topology.turns_round:
            return None
        width = (self.topology.uppers[0] - 1).bit_length()
        low = (self.topology.levels - 1 - self.level) * width
        return header.destination[low : low + width]

    def wants(self, number: int, output: int) -> Value:
        """Whether an input shows a header for an output: round or down to its child, or up."""
        link = self.into[number]
        if output >= self.downers:
            return link.is_header & ~self.turns(number)
        low, high = self.topology.digit_offsets[self.level : self.level + 2]
        right = link.header.destination[low:high] == self.child(output)
        return link.is_header & right & (self.turns(number) if number < self.downers else 1)


def inputs_of(network: Network, kind: RouterKind, output: int) -> list[int]:
    """Inputs of a switch that may lead to an output: from above only down, round to other children.

    Both by their numbers, downers first. In one-way use none leads round.
    """
    topology = levels_of(network)
    level = topology.level_of(kind.router)
    downers, wires = topology.downers[level], topology.wires[level]
    below = range(downers)
    if output >= downers:
        return [*below]
    round_ = [n for n in below if level == 0 or n // wires != output // wires]
    round_ = round_ if topology.turns_round else []
    return [*round_, *range(downers, len(kind.ports) - 1)]


def _state(harness: SwitchHarness) -> Signal:
    """State from which the switch's choices follow: xorshift32, one step per network cycle."""
    fresh, kept = harness.register(1, "fresh", init=1), harness.register(32, "state")
    stepped: Value = Mux(fresh, harness.seed, kept)
    for shift in (13, -17, 5):
        stepped ^= (stepped << shift)[:32] if shift > 0 else stepped >> -shift
        stepped = harness.named(stepped, "stepped")
    with harness.m.If(harness.cycle.control.begin):
        harness.m.d.sync += [kept.eq(stepped), fresh.eq(0)]
    found = harness.probe(harness.switch.choice.state)
    harness.claim(Mux(fresh, found == 0, (found == kept) & (found != 0)))
    harness.claim(~fresh | ~harness.cycle.cycling)
    return kept


class _Order:
    """Order in which a switch serves its inputs in this network cycle.

    Members
    -------
    distances : list of Value
        Distance of each input from the input that is served first on its side.
    first : Value
        Upper that is granted first.
    """

    def __init__(self, harness: SwitchHarness) -> None:
        self._harness = harness
        state, d, u = _state(harness), harness.downers, harness.uppers
        start_a, start_b = (state[0:8] * d)[8:], (state[8:16] * max(u, 1))[8:]
        self.first = (state[16:24] * max(u, 1))[8:]
        self.distances = [(number + d - start_a) % d for number in range(d)]
        self.distances += [d + (number + u - start_b) % u for number in range(u)]

    def rank(self, number: int, rivals: dict[int, Value]) -> Value:
        """How many rivals are served before an input."""
        nearer = [
            rivals[other] & (self.distances[other] < self.distances[number])
            for other in rivals
            if other != number
        ]
        return self._harness.named(sum(nearer, Const(0)), "rank")


def grants(harness: SwitchHarness) -> None:
    """Claim that grants are as the specification's section on arbitration says, by arithmetic.

    The inputs are ordered by their distance from the input that is first in this network cycle. Of
    those that go up, input j gets upper j from the first; or the upper that its header names, if no
    nearer input does. Of those that want a child, input j gets wire n + j, where n were assigned
    before.
    """
    order = _Order(harness)
    for upper in range(harness.uppers):
        _claim_upper_grants(harness, order, upper)
    wires = harness.topology.wires[harness.level]
    for child in range(harness.downers // wires):
        _claim_child_grants(harness, order, range(child * wires, (child + 1) * wires))


def _granted(harness: SwitchHarness, output: int, number: int) -> Value:
    return harness.closed[output][number] & ~harness.crosspoints[output][number]


def _claim_upper_grants(harness: SwitchHarness, order: _Order, k: int) -> None:
    """Claim which header from below gets an upper."""
    d, u = harness.downers, harness.uppers
    ups = {number: harness.wants(number, d + k) for number in range(d)}
    named = {number: harness.named_upper(number) for number in ups}
    words = not any(upper is None for upper in named.values())
    for number, upper in named.items():
        ups[number] &= Const(1) if upper is None else upper == k
    for number, request in ups.items():
        place = order.rank(number, ups)
        right = (place == 0) if words else (place < u) & ((order.first + place) % u == k)
        harness.claim(_granted(harness, d + k, number) == (request & right))
        harness.cover(request & right)
        if words and d > 1:
            harness.cover(request & (place > 0))
        elif d > u:
            harness.cover(request & (place >= u))


def _claim_child_grants(harness: SwitchHarness, order: _Order, downers: range) -> None:
    """Claim which headers get the wires to a child."""
    d, wires = harness.downers, len(downers)
    assigned = harness.register(range(wires + 1), "assigned")
    crosspoints = [Cat(harness.crosspoints[downer].values()).any() for downer in downers]
    harness.claim(Cat(crosspoints) == (Const(1) << assigned) - 1)
    requests = {number: harness.wants(number, downers[0]) for number in harness.inputs(downers[0])}
    news: list[Value] = []
    for number, request in requests.items():
        place = harness.named(assigned + order.rank(number, requests), "place")
        news.append(request & (place < wires))
        for wire, downer in enumerate(downers):
            granted = _granted(harness, downer, number)
            harness.claim(granted == (request & (place == wire)))
        rivals = len(requests) if number >= d else len([other for other in requests if other < d])
        if rivals > wires:
            harness.cover(request & (place >= wires))
    release = harness.cycle.control.release
    harness.m.d.sync += assigned.eq(Mux(release, 0, assigned + sum(news, Const(0))))


def _claim_crosspoints(harness: SwitchHarness) -> None:
    for link in harness.into:
        for fact in link.header_facts():
            harness.claim(fact)
    released = harness.register(1, "released")
    harness.m.d.sync += released.eq(harness.cycle.control.release)
    for output, (found, closed) in enumerate(zip(harness.crosspoints, harness.closed, strict=True)):
        now, next_ = Cat(found.values()), Cat(closed.values())
        was = harness.register(len(now), "was")
        harness.m.d.sync += was.eq(next_)
        harness.claim(is_one_hot_or_zero(next_))
        harness.claim(now == Mux(released, 0, was))
        for number, crosspoint in found.items():
            harness.claim(~crosspoint | (closed[number] & harness.into[number].came))
            made = harness.named(closed[number] & ~crosspoint, "made")
            harness.claim(~made | (~now.any() & harness.wants(number, output)))
            harness.cover(made)
    for number in range(len(harness.into)):
        leads = [closed[number] for closed in harness.closed if number in closed]
        harness.claim(is_one_hot_or_zero(Cat(leads)))


def _claim_circuits(harness: SwitchHarness) -> None:
    """Claim that the two links which a crosspoint joins agree."""
    for output, (link, found) in enumerate(zip(harness.out, harness.crosspoints, strict=True)):
        for fact in (*link.header_facts(), link.acknowledge_facts()):
            harness.claim(fact)
        harness.claim(link.seen == Cat(found.values()).any())
        for number, crosspoint in found.items():
            source = harness.into[number]
            harness.claim(~crosspoint | (source.hops == link.hops))
            if number < harness.downers and output < harness.downers:
                harness.claim(~crosspoint | (source.hops == 2 * harness.level))
    for number, link in enumerate(harness.into):
        acknowledged = [
            found[number] & out.was_back
            for out, found in zip(harness.out, harness.crosspoints, strict=True)
            if number in found
        ]
        harness.claim(link.back == Cat(acknowledged).any())
        harness.claim(link.acknowledge_facts())


def _claim_transfer(harness: SwitchHarness) -> None:
    for link, found in zip(harness.out, harness.crosspoints, strict=True):
        harness.claim(Cat(found.values()).any() | (link.kind == Kind.IDLE.value))
        for number, crosspoint in found.items():
            source = harness.into[number]
            harness.claim(~crosspoint | (link.kind == source.was_kind))
            harness.claim(~crosspoint | ~link.kind.any() | (link.data == source.was_data))
            harness.cover(crosspoint & (link.kind == Kind.LAST.value) & source.was_back)
    for number, link in enumerate(harness.into):
        leads = [found[number] for found in harness.crosspoints if number in found]
        harness.claim(~link.is_flit | Cat(leads).any())


def _claim_acknowledges(harness: SwitchHarness) -> None:
    for number, link in enumerate(harness.into):
        for rule in link.received().values():
            harness.claim(rule)
        leads = [found[number] for found in harness.crosspoints if number in found]
        harness.claim(~link.back | Cat(leads).any())
        least = 2 * (harness.level + (number >= harness.downers))
        for hops in harness.cycle.hop_counts:
            if hops >= least or not harness.topology.turns_round:
                harness.cover(link.back & ~link.was_back & (link.hops == hops))
        harness.cover(link.came & ~link.back & (harness.cycle.time == link.first_flit))


def _claim_links(harness: SwitchHarness) -> None:
    for link in harness.out:
        for rule in link.sent().values():
            harness.claim(rule)
        harness.cover(link.is_header)
        harness.cover(link.kind == Kind.LAST.value)


def _claim_assertions(harness: SwitchHarness) -> None:
    harness.cover(harness.cycle.control.sample.any())


def _sampled(topology: LeastCommonAncestor, kind: RouterKind) -> str:
    """Cycle in which an input from below has its acknowledge."""
    source = "4L+3" if topology.turns_round else f"{2 * topology.levels + 1}"
    return f"{source}-{topology.level_of(kind.router)}"


def switch_properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a switch, lemmas first."""
    topology = levels_of(network)
    reach = 6 * topology.levels + 8
    # A fault of the release shows in the next network cycle.
    deep = min(cycle_clocks(topology, longest_packet(network)) + 4, 40)
    make = partial(Property, cover=reach, depth=deep)
    crosspoints = make(
        name="crosspoints",
        text="no output has two inputs and no input two outputs; only headers close crosspoints, "
        "up, round or down and never from above up; they stay closed until the release",
        claim=_claim_crosspoints,
    )
    circuits = make(
        name="circuits",
        text="an input gets an acknowledge by its own crosspoint alone, one cycle later",
        claim=_claim_circuits,
        lemmas=(crosspoints,),
    )
    base = (crosspoints, circuits)
    transfer = make(
        name="transfer",
        text="a flit leaves through the crosspoint that its header closed, one cycle later and "
        "unchanged, and nothing else leaves",
        claim=_claim_transfer,
        lemmas=base,
    )
    return [
        crosspoints,
        make(
            name="grants",
            text="in the cycle in which it comes, a header is granted its output, or refused, by "
            "the order of the network cycle's state",
            claim=grants,
            lemmas=(crosspoints,),
        ),
        circuits,
        transfer,
        make(
            name="acknowledge",
            text="an acknowledge reaches an input from below in cycle "
            f"{_sampled(topology, kind)}, as those of its outputs come in their cycles; a header "
            "that was refused gets none",
            claim=_claim_acknowledges,
            lemmas=base,
        ),
        make(
            name="links",
            text="headers and flits leave in the cycles in which the neighbours expect them",
            claim=_claim_links,
            lemmas=(*base, transfer),
        ),
        make(
            name="assertions",
            text="the assertions in the Verilog hold",
            claim=_claim_assertions,
            lemmas=base,
            claims_assertions=True,
        ),
    ]
