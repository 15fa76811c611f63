"""Golden model: what the hardware must do, in the same cycles; a room or a file per router class.

`run` runs any network and picks the `RouterModel` of its router class from `MODELS`. `log` is what
a run notes, `record` what both the model and the Verilog leave for comparison.
"""
