"""Golden model, cocotb testbench, traffic."""
