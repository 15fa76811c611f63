"""Properties of a circuit switch."""

from collections.abc import Sequence
from functools import partial

from amaranth.hdl import Cat, Mux

from ...gateware.circuit.layouts import Kind
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ...routing.circuits import cycle_clocks
from ...topology import LeastCommonAncestor
from ..property import Property
from .nodes import levels_of, longest_packet
from .switch_grants import grants
from .switch_harness import SwitchHarness


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
