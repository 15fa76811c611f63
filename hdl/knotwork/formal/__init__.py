"""Proofs of routers, on the Verilog that is generated."""

from .prover import BOUNDED, FAILED, PROVEN, Property, Result, prove
from .routers import prove_router, require_proofs, router_properties

__all__ = [
    "BOUNDED",
    "FAILED",
    "PROVEN",
    "Property",
    "Result",
    "prove",
    "prove_router",
    "require_proofs",
    "router_properties",
]
