"""Judgement of a network: its traffic through the Verilog, the golden model or both.

`simulate` runs and compares; `score` finds the fate of every packet from a run's record alone;
`repeat` averages over seeds; `memory` refuses what this machine could not hold.
"""
