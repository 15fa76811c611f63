"""Proofs of routers, on the Verilog that is generated."""

from .proofs import parts, prove_part, prove_router, require_proofs, router_facts, router_properties
from .prover import BOUNDED, FACTS, FAILED, PROVEN, Property, Result, facts_rtlil, prove

__all__ = [
    "BOUNDED",
    "FACTS",
    "FAILED",
    "PROVEN",
    "Property",
    "Result",
    "facts_rtlil",
    "parts",
    "prove",
    "prove_part",
    "prove_router",
    "require_proofs",
    "router_facts",
    "router_properties",
]
