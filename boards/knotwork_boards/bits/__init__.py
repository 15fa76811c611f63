"""Bitstreams turned back into Verilog: the very bits that go to the chip, for a simulator."""
