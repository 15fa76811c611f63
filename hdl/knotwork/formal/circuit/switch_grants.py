"""Claims about the headers to which a circuit switch grants outputs."""

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from .switch_harness import SwitchHarness


def _state(harness: SwitchHarness) -> Signal:
    """State from which the switch's choices follow: xorshift32, one step per network cycle."""
    fresh, kept = harness.register(1, "fresh", init=1), harness.register(32, "state")
    stepped: Value = Mux(fresh, harness.seed, kept)
    for shift in (13, -17, 5):
        stepped ^= (stepped << shift)[:32] if shift > 0 else stepped >> -shift
        stepped = harness.named(stepped, "stepped")
    with harness.m.If(harness.cycle.control.begin):
        harness.m.d.sync += [kept.eq(stepped), fresh.eq(0)]
    found = harness.inside("choice.state", 32)
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
