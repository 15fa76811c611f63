"""Claims about which headers a switch grants, and what."""

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from .switch import SwitchBench


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


def grants(bench: SwitchBench) -> None:
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
