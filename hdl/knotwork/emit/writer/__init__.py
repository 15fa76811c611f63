"""Verilog of an Amaranth component, with the names and the structure of its Python."""
