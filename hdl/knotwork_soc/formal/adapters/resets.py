"""Proofs of resets that two clocks share: at any order of edges, and resets of any length."""

from itertools import pairwise

from amaranth.hdl import Mux, Signal, Value, ValueLike
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.untyped import Interface

from ...gateware.adapters import LinkResets, ResetRelease
from ...gateware.adapters.crossings import HELD
from ..library import synchronizer_stages
from .crossings import AnyClocks


class ClocksHarness(ComponentHarness):
    """Harness of a component whose clocks and resets are ports; a step is a cycle of its own.

    In the first step both clocks are low.

    Members
    -------
    asked : Value
        Either reset is high, or was in the step before.
    """

    begins_anywhere = False
    has_clocks = True

    def __init__(self, component: Interface) -> None:
        super().__init__(component)
        self.environment(self.running | ~(self.port("left_clk") | self.port("right_clk")))
        resets = self.port("left_rst") | self.port("right_rst")
        self.requested = resets | self.before(resets, "requested")

    def before(self, value: Value, name: str) -> Value:
        """Value of the step before, also where that was the first."""
        register = Signal(len(value), name=f"{name}_before", reset_less=True)
        self.m.d.sync += register.eq(value)
        return register

    def edge(self, side: str) -> Value:
        """Whether a clock has risen in this step."""
        clock = self.port(f"{side}_clk")
        return self.named(clock & ~self.before(clock, f"{side}_clk"), f"{side}_edge")


def _link() -> AnyClocks:
    return AnyClocks(lambda: LinkResets(domain="right"))


class LinkHarness(ClocksHarness):
    """Harness of the resets of a link; ``left`` is the network's clock, ``right`` the node's.

    Members
    -------
    port, plane : Value
        Resets of the two sides.
    port_was, plane_was : Value
        The same of the step before.
    of_port, of_plane : Value
        Edges of the network's clock, one after the other, at which both sides were in reset since
        `port`, or `plane`, rose; up to `HELD`, where it stays.
    chain : list of Value
        Registers of the handshake, in the order in which each follows the one before.
    """

    def __init__(self) -> None:
        super().__init__(_link())
        self.port_out, self.plane = self.port("port"), self.port("plane")
        self.port_was, self.plane_was = (
            self.register(1, name, init=1) for name in ("port_was", "plane_was")
        )
        self.m.d.sync += [self.port_was.eq(self.port_out), self.plane_was.eq(self.plane)]
        link = self.component("timed", LinkResets)
        self.held, self.waits, self.cycles = map(self.probe, (link.held, link.waits, link.cycles))
        self.stages = synchronizer_stages(self, link.release, HELD)
        self.chain = [self.probe(link.request), *synchronizer_stages(self, link.request_cdc)]
        self.chain += [self.probe(link.answer), *synchronizer_stages(self, link.answer_cdc)]
        self.request, _, self.seen, self.answer, _, self.answered = self.chain
        edge, both = self.edge("left"), self.port_was & self.plane_was
        self.of_port = self._together(edge, both, self.port_out, "of_port")
        self.of_plane = self._together(edge, both, self.plane, "of_plane")

    def _together(self, edge: Value, both: Value, lasts: Value, name: str) -> Value:
        count = self.register(range(HELD + 1), name)
        after = Mux(edge & (count != HELD), Mux(both, count + 1, 0), count)
        after = self.named(after[: len(count)], name)
        self.m.d.sync += count.eq(Mux(lasts, after, 0))
        return after


def _handshake(harness: LinkHarness) -> None:
    """One change runs round the chain at a time; the count lies between request and answer."""
    chain, cycles = harness.chain, harness.cycles
    changes = [new ^ old for new, old in pairwise(chain)]
    harness.claim(sum(changes[1:], changes[0]) <= 1)
    seen, answer = harness.seen, harness.answer
    harness.claim(cycles <= HELD)
    harness.claim(~(answer & seen) | (cycles == HELD))
    harness.claim(~(answer & ~seen) | (cycles >= HELD - 1))
    harness.claim(answer | seen | (cycles <= HELD - 2))
    harness.claim(~(chain[1] & ~seen) | (cycles <= 1))
    # The node's side is asked until the network's has answered, and holds its reset so long.
    held, stages = harness.held, harness.stages
    harness.claim(held | ~harness.request | harness.answered)
    for new, old in pairwise([held | harness.request, *stages]):
        harness.claim(~new | old)
    harness.claim(~harness.waits | held | (cycles == HELD))
    harness.claim(~(harness.waits | (cycles != 0)) | harness.plane)
    harness.cover(harness.answered & ~harness.seen)


def _at_once(harness: LinkHarness) -> None:
    harness.claim(~(harness.port("left_rst") | harness.port("right_rst")) | harness.port_out)
    harness.cover(harness.port_out & ~harness.port_was & ~harness.edge("right"))


def _meet(harness: LinkHarness) -> None:
    seen, answer, cycles = harness.seen, harness.answer, harness.cycles
    for count, asks in ((harness.of_port, harness.request), (harness.of_plane, seen)):
        harness.claim(count <= HELD)
        rises = seen & ~answer & (cycles != 0)
        harness.claim(~rises | (count + 1 >= cycles))
        harness.claim(~(answer & asks) | (count == HELD))
    harness.claim(~harness.port_out | harness.held | (harness.of_port == HELD))
    ends = ~seen & ((cycles != 0) | (harness.plane & ~harness.waits))
    harness.claim(~ends | (harness.of_plane == HELD))
    harness.claim(~harness.port_was | harness.port_out | (harness.of_port == HELD))
    harness.claim(~harness.plane_was | harness.plane | (harness.of_plane == HELD))
    harness.cover(harness.port_was & ~harness.port_out & harness.plane)
    harness.cover(harness.plane_was & ~harness.plane & harness.port_out)


def _first(*cases: tuple[Value, ValueLike], last: ValueLike) -> Value:
    """Value of the first case that holds."""
    for case, value in reversed(cases):
        last = Mux(case, value, last)
    return Value.cast(last)


_ASKS = HELD + 7
"""Edges that a handshake waits for, from the request to its end."""
_AGAIN = 7
"""The same of one that a reset finds half over, before it is begun anew."""
ROUNDS = _ASKS + _AGAIN + HELD + 4
"""Rounds after a reset within which both sides leave it."""


def _awaited(harness: LinkHarness) -> Value:
    """Edges, each of the one clock that is waited for, until the node's side asks no more."""
    request, stage, seen, answer, stage_back, answered = harness.chain
    cycles, held = harness.cycles, harness.held
    asks = _first(
        (~stage, _ASKS),
        (~seen, _ASKS - 1),
        (~answer, HELD + 5 - cycles),
        (~stage_back, 4),
        (~answered, 3),
        (held, 2),
        last=1,
    )
    again = _first(
        (~answered, 1),
        (~stage_back, 2),
        (~answer, 3),
        (~seen, cycles + 5 - HELD),
        (~stage, _AGAIN - 1),
        last=_AGAIN,
    )
    return harness.named(Mux(request, asks, Mux(held, _ASKS + again, 0)), "awaited")


def _ends(harness: LinkHarness) -> None:
    """Each round takes one from what is awaited, or from what each side then does by itself."""
    rounds = harness.register(range(ROUNDS + 2), "rounds")
    done = [harness.register(1, f"{side}_done") for side in ("left", "right")]
    now = [one | harness.edge(side) for one, side in zip(done, ("left", "right"), strict=True)]
    whole = harness.named(now[0] & now[1], "whole")
    left, right = (harness.named(one & ~whole & ~harness.requested, "done") for one in now)
    count = Mux(harness.requested, 0, rounds + (whole & (rounds <= ROUNDS)))
    count = harness.named(count, "count")
    harness.m.d.sync += [rounds.eq(count), done[0].eq(left), done[1].eq(right)]
    request, stage, seen, answer, *_ = harness.chain
    network = Mux(request, ~(stage & seen & answer), seen | answer)
    awaited = _awaited(harness)
    most = _ASKS + _AGAIN
    harness.claim((awaited == 0) | (count + awaited + Mux(network, left, right) <= most))
    plane = _first((stage, HELD + 3), (seen, HELD + 2), last=harness.cycles + harness.plane)
    port = sum(harness.stages[1:], harness.stages[0])
    for remains, edge in ((plane, left), (port, right)):
        harness.claim((awaited != 0) | (remains == 0) | (count + remains + edge < ROUNDS))
    harness.claim((count < ROUNDS) | ~(harness.plane | harness.port_out))
    harness.cover((count == most) & harness.plane)


def _cause(harness: LinkHarness) -> None:
    harness.claim(~harness.port_out | harness.port_was | harness.requested)
    harness.claim(~harness.plane | harness.plane_was | harness.port_out)
    harness.cover(harness.plane & ~harness.plane_was)


def link_resets_proofs() -> ComponentProofs:
    """Proofs of `LinkResets`, at any order of clock edges, with resets at any time."""
    handshake = Property(
        name="handshake",
        text="the two sides ask and answer in turn, whenever there are resets",
        claim=_handshake,
        cover=60,
        depth=60,
    )
    rest = [
        Property(name=name, text=text, claim=claim, lemmas=(handshake,), cover=cover, depth=60)
        for name, text, claim, cover in (
            ("at_once", "while either reset is high the node's side is in reset", _at_once, 60),
            (
                "meet",
                f"neither side leaves its reset before both were in it for {HELD} cycles",
                _meet,
                80,
            ),
            ("cause", "neither side enters its reset unless one is requested", _cause, 60),
            (
                "ends",
                f"both leave it within {ROUNDS} rounds, in each of which both clocks have an edge",
                _ends,
                80,
            ),
        )
    ]
    return ComponentProofs(_link, LinkHarness, [handshake, *rest])


def _release() -> AnyClocks:
    return AnyClocks(lambda: ResetRelease(active_low=True, domain="left"))


class ReleaseHarness(ClocksHarness):
    """Harness of a reset from a pin that is active low; ``left`` is its clock."""

    def __init__(self) -> None:
        super().__init__(_release())


def _release_claim(harness: ReleaseHarness) -> None:
    """It lasts from the pin's fall to the second edge after its rise."""
    pin = ~harness.port("i")
    requested = pin | harness.before(pin, "pin")
    edges = harness.register(2, "edges")
    now = Mux(requested, 0, edges + (harness.edge("left") & (edges != 2)))
    now = harness.named(now[:2], "edges")
    harness.m.d.sync += edges.eq(now)
    harness.claim(now <= 2)
    release = harness.component("timed", ResetRelease).release
    harness.claim(synchronizer_stages(harness, release)[0] == (now == 0))
    harness.claim(harness.port("o") == (now < 2))
    harness.cover(requested & (edges == 2))
    harness.cover(now == 2)


def reset_release_proofs() -> ComponentProofs:
    """Proofs of `ResetRelease`, at any edges of its clock, with resets at any time."""
    release = Property(
        name="release",
        text="the reset begins with the pin, and ends at the second edge after the pin",
        claim=_release_claim,
        depth=30,
    )
    return ComponentProofs(_release, ReleaseHarness, [release])
