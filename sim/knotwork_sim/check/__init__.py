"""Whether a network delivers: its traffic through the Verilog, the golden model or both, judged.

`simulate` runs and compares; `score` tells the fate of every packet from a run's record alone;
`repeat` averages over seeds; `memory` refuses what this machine could not hold.
"""
