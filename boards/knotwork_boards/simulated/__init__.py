"""A board that nobody has: the self-test's Verilog in Verilator, its UART at a pseudo-terminal."""

SIMULATED = "simulated"
"""Port that stands for a simulated board."""
