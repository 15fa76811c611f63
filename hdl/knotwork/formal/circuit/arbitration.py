"""Claims about which headers a switch grants, and what."""

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from .switch import SwitchHarness


def _state(harness: SwitchHarness) -> Signal:
    """What the switch's choices in this network cycle follow from: xorshift32, a step a cycle."""
    fresh, kept = harness.register(1, "fresh", init=1), harness.register(32, "state")
    stepped: Value = Mux(fresh, harness.seed, kept)
    for shift in (13, -17, 5):
        stepped ^= (stepped << shift)[:32] if shift > 0 else stepped >> -shift
        stepped = harness.named(stepped, "stepped")
    with harness.m.If(harness.cycle.control.begin):
        harness.m.d.sync += [kept.eq(stepped), fresh.eq(0)]
    found = harness.inside("core.choice.state", 32)
    harness.claim(Mux(fresh, found == 0, (found == kept) & (found != 0)))
    harness.claim(~fresh | ~harness.cycle.cycling)
    return kept


def grants(harness: SwitchHarness) -> None:
    """Grants are as the specification's section on arbitration says, by arithmetic.

    The j-th of those that go up, by the distance from the input that is first in this network
    cycle, gets the j-th upper from the first; or the upper that its header names, if no one nearer
    does. The j-th that wants a child gets its n-th wire, n - j being those that it gave before.
    """
    state, d, u = _state(harness), harness.downers, harness.uppers
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
        return harness.named(sum(nearer, Const(0)), "rank")

    def granted(output: int, number: int) -> Value:
        return harness.closed[output][number] & ~harness.crosspoints[output][number]

    words = harness.network.routing.word_layout
    for k in range(u):
        ups = {number: harness.wants(number, d + k) for number in range(d)}
        if words:
            ups = {
                number: ask & (harness.into[number].header[f"upper{harness.level}"] == k)
                for number, ask in ups.items()
            }
        for number, ask in ups.items():
            place = rank(number, ups)
            right = (place == 0) if words else (place < u) & ((first + place) % u == k)
            harness.claim(granted(d + k, number) == (ask & right))
            harness.cover(ask & right)
            if words and d > 1:
                harness.cover(ask & (place > 0))
            elif d > u:
                harness.cover(ask & (place >= u))
    wires = harness.topology.wires[harness.level]
    for child in range(d // wires):
        downers = range(child * wires, (child + 1) * wires)
        given = harness.register(range(wires + 1), "given")
        crosspoints = [Cat(harness.crosspoints[downer].values()).any() for downer in downers]
        harness.claim(Cat(crosspoints) == (Const(1) << given) - 1)
        asks = {number: harness.wants(number, downers[0]) for number in harness.inputs(downers[0])}
        news: list[Value] = []
        for number, ask in asks.items():
            place = harness.named(given + rank(number, asks), "place")
            news.append(ask & (place < wires))
            for wire, downer in enumerate(downers):
                harness.claim(granted(downer, number) == (ask & (place == wire)))
            rivals = len(asks) if number >= d else len([other for other in asks if other < d])
            if rivals > wires:
                harness.cover(ask & (place >= wires))
        release = harness.cycle.control.release
        harness.m.d.sync += given.eq(Mux(release, 0, given + sum(news, Const(0))))
