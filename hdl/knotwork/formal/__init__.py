"""Proofs of routers, on the Verilog that is generated.

`harness`, `property` and `prover` prove properties of any module; `elaboration` finds the signals
that claims name. Each router class has a package; `proofs` lists them.
"""

from .proofs import (
    part_facts,
    parts,
    prove_part,
    prove_router,
    require_proofs,
    router_facts,
    router_properties,
    unproven,
)
from .property import BOUNDED, FAILED, PROVEN, Part, Property, Result, RouterProofs
from .prover import FACTS, facts_rtlil, prove

__all__ = [
    "BOUNDED",
    "FACTS",
    "FAILED",
    "PROVEN",
    "Part",
    "Property",
    "Result",
    "RouterProofs",
    "facts_rtlil",
    "part_facts",
    "parts",
    "prove",
    "prove_part",
    "prove_router",
    "require_proofs",
    "router_facts",
    "router_properties",
    "unproven",
]
