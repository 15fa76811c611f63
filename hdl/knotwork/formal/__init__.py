"""Proofs of routers, on the Verilog that is generated.

`harness`, `property`, `problems` and `prover` prove properties of any module; `router_proofs` says
what a router class provides for its proofs. Each class has a package; `proofs` lists them.
"""

from .problems import FACTS, facts_rtlil
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
from .property import BOUNDED, FAILED, PROVEN, Property, Result
from .prover import prove
from .router_proofs import Part, RouterProofs

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
