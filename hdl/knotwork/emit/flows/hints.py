"""Attributes that tell synthesis how to make the memories of a network's Verilog."""

import re

RAM_STYLE = '(* ram_style = "distributed", ramstyle = "MLAB" *) '
"""Vivado and Yosys read the first, Quartus the second. Memories are read in the cycle in which the
address changes, which block RAM cannot do."""


def with_hints(verilog: str) -> str:
    """Verilog whose memories have the attribute `RAM_STYLE`."""
    memory = r"^( *)(?=reg (?:\[\d+:0\] )?\w+ \[0:\d+\];)"
    return re.sub(memory, rf"\1{RAM_STYLE}", verilog, flags=re.MULTILINE)
