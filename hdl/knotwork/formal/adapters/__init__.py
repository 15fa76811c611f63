"""Proofs of the stream adapters, for all lengths of packets, pauses and orders of clock edges."""

from .converters import ConverterProofs, converter_verilog
from .crossings import crossing_verilog, prove_crossing

__all__ = ["ConverterProofs", "converter_verilog", "crossing_verilog", "prove_crossing"]
