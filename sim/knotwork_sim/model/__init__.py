"""Golden model: what the hardware must do, in the same cycles; a module per router class.

`reference` is the model to read, the others are fast. `run` runs any network and picks the
`RouterModel` of its router class from `MODELS`; `router_model` holds what a run notes, `record`
what the model and the Verilog both leave for comparison.
"""
