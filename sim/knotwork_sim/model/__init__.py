"""Golden model: what the hardware must do, in the same cycles; a part per router class.

`run` runs any network and picks the `RouterModel` of its router class from `MODELS`. `log` holds
what a run notes; `record` holds what the model and the Verilog both leave for comparison.
"""
