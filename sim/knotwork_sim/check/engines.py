"""Names of what can run a network's traffic.

They are kept apart from the engines because a command line offers them before it loads any engine.
"""

ENGINES = ("both", "rtl", "model", "netlist")
"""Engines of a simulation: the Verilog, the golden model, or both compared; or what synthesis for a
board makes of the Verilog, compared with the golden model."""

BITSTREAM = "bitstream"
"""Engine of the command alone: the self-test of a network, from the bits that go to a chip."""

BOARD_ENGINES = ("netlist", BITSTREAM)
"""Engines that need a board."""

TRACE_ENGINES = ("rtl", "both")
"""Engines that write waveforms."""

WAVEFORMS = (".vcd", ".fst")
"""Endings of waveforms of the Verilog."""

PACKET_TRACES = (".html", ".json")
"""Endings of traces of packets, which the golden model gives."""

POINT_ENGINES = ("model", "rtl")
"""Engines that measure a point of a load sweep: the golden model, or the Verilog."""

BOARD = "board"
"""Engine that has a board measure the points, over its serial port."""

SWEEP_ENGINES = (*POINT_ENGINES, BOARD)
"""Engines of a load sweep."""
