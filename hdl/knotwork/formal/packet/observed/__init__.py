"""What proofs observe of a packet router: its ports, and the wires inside its Verilog.

Each class watches one part of the module (an input channel, an output, an arbiter) and keeps
registers of its own that count what passes. Nothing is claimed here.
"""
