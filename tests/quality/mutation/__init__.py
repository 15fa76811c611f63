"""Mutation tests of the generated Verilog: the faults that simulation and proofs detect.

`mutants` makes the faults, `loads`, `runs`, `stimuli` and `judge` simulate them, `properties` shows
them to the proofs of `knotwork.formal`, and `equivalence` proves mutants equivalent. `targets`
names the routers, `reasons` explains the survivors, and `__main__` is the command.
"""
