"""Proofs of a node's guards: whole packets, though the node's clock stops or it is reset alone."""

from amaranth.hdl import Mux, Value
from amaranth.lib import wiring
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ...gateware.adapters import EjectionGuard, InjectionGuard
from ...payload import Payload

PAYLOAD = Payload.of(4, [2], user_width=1)
"""Payload in a proof: two units of two bits, and a bit of the user's."""
_EMPTY = (PAYLOAD.units - 1) << PAYLOAD.data_width
"""Data of a beat that ends a packet cut short: zeros, all units but one absent."""
_USER = PAYLOAD.width - PAYLOAD.user_width


def _injection() -> InjectionGuard:
    return InjectionGuard(payload=PAYLOAD, header={"destination": 1})


def _ejection() -> EjectionGuard:
    return EjectionGuard(payload=PAYLOAD, header={"source": 1})


class GuardHarness(ComponentHarness):
    """Harness of a guard; clocks stop and resets come at any time.

    Members
    -------
    at_head : Value
        The next beat at `i` is the first of a packet.
    is_open : Value
        A packet has begun at `o`, and not ended.
    """

    def __init__(self, component: wiring.Component) -> None:
        super().__init__(component)
        self.i, self.o = self.stream("i"), self.stream("o")
        self.stopped, self.flushed = self.port("stopped"), self.port("flushed")
        self.at_head, self.is_open = self.register(1, "at_head", init=1), self.register(1, "open")

    def follow(self, *, resets_i: Value | int, resets_o: Value | int) -> None:
        """Follow the packets of both sides; a reset ends that of its side."""
        for begun, side, value, reset in (
            (self.at_head, self.i, 1, resets_i),
            (self.is_open, self.o, 0, resets_o),
        ):
            last = side.payload.last
            after = Mux(side.moves, last if value else ~last, begun)
            self.m.d.sync += begun.eq(Mux(reset, value, after))

    def user(self, side: str) -> Value:
        """User's bit of a beat."""
        return self.stream(side).payload.data[_USER]

    def is_closing(self) -> Value:
        """Whether the beat at `o` is one that ends a packet cut short, but for the user's bit."""
        payload = self.o.payload
        return payload.last & (payload.data[:_USER] == _EMPTY)


class InjectionHarness(GuardHarness):
    """Harness of an injection guard.

    Members
    -------
    full, ends, skips, breaks, takes, begun : Value
        Wires of the guard.
    stored, kept : Value, View
        The guard's register, and what it must hold.
    closes : Value
        The beat at `o` is the guard's own.
    """

    def __init__(self) -> None:
        super().__init__(_injection())
        self.follow(resets_i=self.flushed, resets_o=0)
        guard = self.component("", InjectionGuard)
        self.full, self.ends, self.skips, self.breaks, self.takes, self.begun, self.stored = map(
            self.probe,
            (
                guard.full,
                guard.ends,
                guard.skips,
                guard.breaks,
                guard.takes,
                guard.begun,
                guard.kept.as_value(),
            ),
        )
        self.closes = self.ends & ~self.full
        self.kept = self.record(self.i.payload.shape(), "kept")
        with self.m.If(self.takes):
            self.m.d.sync += self.kept.eq(self.i.payload)
        # What is open once the register's beat has left.
        self.open_after = self.named(Mux(self.full, ~self.kept.last, self.is_open), "open_after")


def _injected_beats(harness: InjectionHarness) -> None:
    """Claim that what is taken leaves as it came, and that all else is dropped for a reason."""
    holds = harness.register(1, "holds")
    moves = harness.o.moves & ~harness.closes
    harness.m.d.sync += holds.eq(harness.takes | (holds & ~moves))
    harness.claim(harness.full == holds)
    harness.claim(~holds | (harness.stored == harness.kept.as_value()))
    harness.claim(~holds | (Value.cast(harness.o.payload) == harness.kept.as_value()))
    harness.claim(harness.o.valid == (holds | harness.ends))
    harness.claim(~harness.takes | ~holds | moves)
    harness.claim(~harness.takes | harness.i.moves)
    dropped = harness.i.moves & ~harness.takes
    harness.claim(~dropped | harness.skips)
    harness.claim_stream("o")
    harness.cover(dropped)


def _injected_packets(harness: InjectionHarness) -> None:
    """Claim that no packet at `o` has beats of two, and that each of them ends."""
    at_head, ends, skips = harness.at_head, harness.ends, harness.skips
    is_open = harness.open_after
    harness.claim(harness.begun == harness.is_open)
    harness.claim(~harness.takes | (at_head == ~is_open))
    harness.claim(ends | skips | (at_head == ~is_open))
    harness.claim(~ends | skips | at_head)
    harness.claim(~skips | ~at_head)
    harness.claim(~ends | is_open)
    harness.claim(ends | ~skips | ~is_open)
    harness.claim(~harness.closes | (harness.is_open & harness.is_closing()))
    user = harness.register(1, "user")
    with harness.m.If(harness.o.moves):
        harness.m.d.sync += user.eq(harness.user("o"))
    harness.claim(harness.full | ~harness.is_open | (harness.stored[_USER] == user))
    harness.claim(~harness.closes | (harness.user("o") == user))
    lost = harness.flushed | (harness.stopped & ~harness.i.valid)
    was_lost = harness.before(lost & ~harness.full & harness.is_open, "was_lost")
    harness.claim(~was_lost | harness.ends | ~harness.is_open)
    harness.cover(harness.closes & harness.o.moves)


def _cuts(harness: InjectionHarness) -> None:
    """Claim a pulse of `cut` for each closing beat."""
    due = harness.register(2, "due")
    harness.m.d.sync += due.eq(due + harness.breaks - (harness.closes & harness.o.moves))
    harness.claim(due == harness.ends)
    harness.claim(harness.port("cut") == harness.before(harness.breaks, "broke"))
    harness.cover(harness.port("cut"))


class EjectionHarness(GuardHarness):
    """Harness of an ejection guard, to which the plane's beats come by the rules of streams.

    Members
    -------
    guard : EjectionGuard
        The guard.
    down : Value
        The node cannot take a beat.
    ends : Value
        The beat at `o` is the guard's own.
    rest : Value
        What comes of the packet at `i` is dropped.
    """

    def __init__(self) -> None:
        super().__init__(_ejection())
        self.follow(resets_i=0, resets_o=self.flushed)
        self.assume_stream("i")
        self.down = self.stopped | self.flushed
        self.guard = guard = self.component("", EjectionGuard)
        self.ends, self.rest = self.probe(guard.ends), self.probe(guard.rest)
        self.passes = self.i.moves & self.o.moves & ~self.ends


def _ejected_beats(harness: EjectionHarness) -> None:
    """Claim that what comes leaves as it came, or is dropped, and never waits for a node down."""
    i, o = harness.i, harness.o
    harness.claim(~harness.down | i.ready)
    harness.claim(~(harness.down & o.valid))
    harness.claim(~o.valid | harness.ends | (Value.cast(o.payload) == Value.cast(i.payload)))
    harness.claim(~i.moves | harness.passes | harness.down | harness.rest)
    harness.claim(~o.moves | harness.ends | i.moves)
    waited = harness.register(1, "waited")
    shown = harness.register(len(Value.cast(o.payload)), "shown")
    harness.m.d.sync += [waited.eq(o.valid & ~o.ready), shown.eq(Value.cast(o.payload))]
    stays = o.valid & (Value.cast(o.payload) == shown)
    harness.claim(~waited | harness.down | stays)
    harness.cover(i.moves & harness.rest)


def _ejected_packets(harness: EjectionHarness) -> None:
    """Claim that the node gets whole packets, each of the beats of one."""
    i, o, at_head, is_open = harness.i, harness.o, harness.at_head, harness.is_open
    ends, rest, guard = harness.ends, harness.rest, harness.guard
    harness.claim(harness.probe(guard.in_packet) == ~at_head)
    harness.claim(harness.probe(guard.begun) == is_open)
    harness.claim(~rest | ~at_head)
    harness.claim(~ends | is_open)
    harness.claim(~ends | at_head | rest)
    harness.claim(ends | rest | (is_open == ~at_head))
    harness.claim(ends | ~rest | ~is_open)
    harness.claim(~harness.passes | (is_open == ~at_head))
    user, source = harness.register(1, "user"), harness.register(1, "source")
    with harness.m.If(o.moves & ~ends):
        harness.m.d.sync += [user.eq(harness.user("o")), source.eq(o.payload.source)]
    harness.claim(~is_open | (harness.probe(guard.kept_user) == user))
    harness.claim(~is_open | (harness.probe(guard.kept["source"]) == source))
    own = harness.is_closing() & (harness.user("o") == user) & (o.payload.source == source)
    harness.claim(~(ends & o.valid) | own)
    was_lost = harness.before(harness.down & is_open & ~harness.flushed, "was_lost")
    harness.claim(~was_lost | ends)
    harness.cover(ends & o.moves)
    harness.cover(harness.passes & i.payload.last & ~at_head)


def _drops(harness: EjectionHarness) -> None:
    """Claim a pulse of `dropped` for each packet of which a beat was dropped."""
    drops = harness.i.moves & ~harness.passes
    some = harness.register(1, "some")
    with harness.m.If(harness.i.moves):
        harness.m.d.sync += some.eq((some | drops) & ~harness.i.payload.last)
    harness.claim(~some | harness.rest)
    due = harness.before(harness.i.moves & harness.i.payload.last & (some | drops), "due")
    harness.claim(harness.port("dropped") == due)
    harness.cover(harness.port("dropped"))


def injection_guard_proofs() -> ComponentProofs:
    """Proofs of `InjectionGuard`, with flits of two units and a bit of the user's."""
    beats = Property(
        name="beats",
        text="a beat leaves as it came; only those of a packet cut short are dropped",
        claim=_injected_beats,
    )
    packets = Property(
        name="packets",
        text="every packet ends, and has beats of no other; a cut one by an empty beat",
        claim=_injected_packets,
        lemmas=(beats,),
    )
    cuts = Property(
        name="cuts", text="every packet cut short is reported once", claim=_cuts, lemmas=(packets,)
    )
    return ComponentProofs(_injection, InjectionHarness, [beats, packets, cuts])


def ejection_guard_proofs() -> ComponentProofs:
    """Proofs of `EjectionGuard`, with flits of two units and a bit of the user's."""
    beats = Property(
        name="beats",
        text="a beat leaves as it came or is dropped; the plane never waits for a node at rest",
        claim=_ejected_beats,
    )
    packets = Property(
        name="packets",
        text="a running node gets whole packets, of the beats of one each",
        claim=_ejected_packets,
        lemmas=(beats,),
    )
    drops = Property(
        name="drops",
        text="every packet of which beats were dropped is reported once",
        claim=_drops,
        lemmas=(packets,),
    )
    return ComponentProofs(_ejection, EjectionHarness, [beats, packets, drops])
