"""Mutants that the proofs detect: a property that no fault breaks would prove nothing."""

from collections.abc import Iterator, Sequence

from knotwork.errors import ConfigurationError
from knotwork.formal import (
    FAILED,
    Part,
    prove_part,
    prove_router,
    require_proofs,
    router_properties,
)
from knotwork.network import Network

from .mutants import COARSE, Mutant, list_mutants, module_of, module_verilog, mutated_verilog

POOL = 20
"""Mutants drawn per mutant chosen."""


def has_proofs(network: Network) -> bool:
    """Whether there are proofs about the network's routers."""
    try:
        require_proofs(network)
    except ConfigurationError:
        return False
    return True


def component(mutant: Mutant) -> str:
    """Part of the router that has the mutant's cell, without the names of ports."""
    path = mutant.option("cell").removeprefix("$flatten").replace("\\", "").partition("$")[0]
    return ".".join(part.split("_")[0] for part in path.split(".") if part)


def chosen(mutants: Sequence[Mutant], count: int) -> list[Mutant]:
    """Choose `count` mutants, from every component in turn."""
    by_component: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_component.setdefault(component(mutant), []).append(mutant)
    turns = sorted(
        (place, part, mutant.number, mutant)
        for part, ones in by_component.items()
        for place, mutant in enumerate(ones)
    )
    return [mutant for *_, mutant in turns[:count]]


def detected_by_proofs(
    network: Network, name: str, *, count: int, seed: int = 1
) -> Iterator[tuple[Mutant, list[str]]]:
    """Mutants of a router, each with the properties that have a counterexample.

    A property does not count if it only rests on a broken lemma, or if its covers cannot be reached
    any more.
    """
    verilog, module = module_verilog(network, name), module_of(network, name)
    mutants = list_mutants(verilog, name, count=POOL * count, seed=seed, read=COARSE)
    for mutant in chosen(mutants, count):
        text = mutated_verilog(verilog, name, mutant)
        if isinstance(module, Part):
            found = prove_part(network, module, text)
        else:
            found = prove_router(network, module, text)
        yield (
            mutant,
            [
                one.name
                for one in found
                if one.result == FAILED and one.reason.startswith("counterexample")
            ],
        )


def property_table(network: Network, name: str, *, count: int, seed: int = 1) -> dict[str, int]:
    """How many of `count` mutants break each property."""
    module = module_of(network, name)
    if isinstance(module, Part):
        properties = module.properties(network)
    else:
        properties = router_properties(network, module)
    table = {one.name: 0 for one in properties}
    for _, names in detected_by_proofs(network, name, count=count, seed=seed):
        for one in names:
            table[one] += 1
    return table
