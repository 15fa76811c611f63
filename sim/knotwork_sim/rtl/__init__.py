"""Runs of the emitted Verilog under Verilator.

`cocotb_run` runs it beside a cocotb testbench (`cocotb_test`), which sees all that the golden model
sees; `driver` runs it with a compiled C++ driver, for long runs. Both place the network in the
module that `wrapper` writes; `verilator` and `executable` compile and keep what is run.
"""
