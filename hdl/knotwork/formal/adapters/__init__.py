"""Proofs of the stream adapters, for all lengths of packets, pauses and orders of clock edges."""

from .converters import ConverterProofs, converter_verilog
from .crossings import crossing_verilog, prove_crossing
from .mesochronous import mesochronous_verilog, prove_mesochronous

__all__ = [
    "ConverterProofs",
    "converter_verilog",
    "crossing_verilog",
    "mesochronous_verilog",
    "prove_crossing",
    "prove_mesochronous",
]
