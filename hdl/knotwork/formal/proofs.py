"""Which router classes have proofs, and how a network's routers and parts are proven."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..errors import ConfigurationError
from ..network import Network, RouterKind
from . import batch, circuit, deflection, packet
from .collectives import collective_parts, unproven_collectives
from .property import Part, Property, Result, RouterProofs
from .prover import facts_rtlil, prove, prove_reset

PROOFS: dict[str, RouterProofs] = {
    "packet": packet.PROOFS,
    "circuit": circuit.PROOFS,
    "batch": batch.PROOFS,
    "deflection": deflection.PROOFS,
}
"""Proofs by router class."""

WALKED = 64
"""Nodes up to which the paths of all pairs are walked for `router_facts`."""


def _proofs(network: Network) -> RouterProofs:
    return PROOFS[network.router_class]


def require_proofs(network: Network) -> None:
    """Refuse a network whose routers have no proofs.

    Raises
    ------
    ConfigurationError
        The network has what the proofs do not cover; the message says what it must have instead.
    """
    missing = _proofs(network).unmet_requirement(network)
    if missing is not None:
        raise ConfigurationError(
            f"{network.name}: verify: it must have {missing}, because other networks have no "
            "proofs yet"
        )


def unproven(network: Network) -> Sequence[str]:
    """What is not proven of the network's options, in words."""
    return [*_proofs(network).unproven(network), *unproven_collectives(network)]


def router_properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas before what rests on them."""
    require_proofs(network)
    return _proofs(network).properties(network, kind)


def prove_router(
    network: Network,
    kind: RouterKind,
    verilog: str,
    properties: Sequence[Property] | None = None,
    *,
    traces: Path | None = None,
) -> Iterator[Result]:
    """Prove properties of a router's Verilog, one after the other.

    Parameters
    ----------
    network, kind : Network, RouterKind
        The router.
    verilog : str
        Its modules, as `emit.modules.router_verilog` gives them; wires inside keep their names.
    properties : sequence of Property, optional
        All of them and `reset` if unnamed. Lemmas are proven with what rests on them.
    traces : Path, optional
        Folder for waveforms of counterexamples.
    """
    proofs = _proofs(network)
    if properties is None:
        yield prove_reset(kind.name, verilog)
        require_proofs(network)
    for part in proofs.separate_kinds(network, kind):
        chosen = proofs.properties(network, part)
        if properties is not None:
            named = {one.name for one in properties}
            chosen = (
                [one for one in chosen if one.name in named] if part is not kind else properties
            )
        make = partial(proofs.harness, network, part)
        number = part.traffic_class
        found = prove(kind.name, verilog, make, chosen, traces=_folder(traces, number))
        yield from _of_class(number, found)


def _folder(traces: Path | None, number: int | None) -> Path | None:
    """Folder for waveforms of a class of traffic that is proven by itself."""
    return traces if traces is None or number is None else traces / f"class{number}"


def _of_class(number: int | None, results: Iterator[Result]) -> Iterator[Result]:
    """Results by names that say which class of traffic they are of, if of one."""
    for one in results:
        yield one if number is None else replace(one, name=f"class{number}.{one.name}")


def router_facts(network: Network, kind: RouterKind, verilog: str) -> str:
    """Router's module with what its properties let each other assume; see `facts_rtlil`.

    In networks of up to `WALKED` nodes, the facts include which packets can come at all.
    """
    properties, proofs = router_properties(network, kind), _proofs(network)
    make = proofs.reachable_harness if network.topology.nodes <= WALKED else proofs.harness
    return facts_rtlil(kind.name, verilog, make(network, kind), properties)


def parts(network: Network) -> Sequence[Part]:
    """Modules of a network that are proven beside its routers."""
    require_proofs(network)
    return [*_proofs(network).parts(network), *collective_parts(network)]


def part_facts(network: Network, part: Part, verilog: str) -> str:
    """One of `parts` with what its properties let each other assume; see `facts_rtlil`."""
    harness = part.harness(network, part.name)
    return facts_rtlil(part.name, verilog, harness, part.properties(network))


def prove_part(
    network: Network,
    part: Part,
    verilog: str,
    properties: Sequence[Property] | None = None,
    *,
    traces: Path | None = None,
) -> Iterator[Result]:
    """Prove properties of one of `parts`, as `prove_router` does of a router."""
    if properties is None:
        yield prove_reset(part.name, verilog)
        properties = part.properties(network)
    make = partial(part.harness, network, part.name)
    number = part.traffic_class
    found = prove(part.name, verilog, make, properties, traces=_folder(traces, number))
    yield from _of_class(number, found)
