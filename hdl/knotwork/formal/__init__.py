"""Proofs of routers, on the Verilog that is generated."""

from .prover import BOUNDED, FAILED, PROVEN, Property, Result, prove
from .routers import parts, prove_part, prove_router, require_proofs, router_properties

__all__ = [
    "BOUNDED",
    "FAILED",
    "PROVEN",
    "Property",
    "Result",
    "parts",
    "prove",
    "prove_part",
    "prove_router",
    "require_proofs",
    "router_properties",
]
