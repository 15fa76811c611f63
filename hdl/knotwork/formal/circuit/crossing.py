"""Properties of switches of circuits."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from amaranth.hdl import Cat, Mux

from ...gateware.circuit.layouts import Kind
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ...routing.circuits import cycle_clocks
from ..prover import Property
from .arbitration import grants
from .switch import SwitchBench


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
    # A fault of the release shows in the next network cycle.
    deep = min(cycle_clocks(topology, network.hardware.max_packet) + 4, 40)
    make = partial(Property, cover=reach, depth=deep)
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
            claim=grants,
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
