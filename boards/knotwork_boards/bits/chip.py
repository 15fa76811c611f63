"""A chip as its bitstream configures it."""

from dataclasses import dataclass

MODULE = "chip"
"""Module that the Verilog of a bitstream is."""


@dataclass(frozen=True, kw_only=True)
class Chip:
    """Verilog of a configured chip.

    Members
    -------
    sources : dict
        Verilog by file name, the models of its cells included.
    module : str
        Module of the chip.
    ports : dict
        Its ports that are the clock (``clk``), the serial line from it (``tx``), and, where the
        chip listens, that to it (``rx``).
    clocks_per_bit : int
        Cycles of a bit on the serial lines.
    """

    sources: dict[str, str]
    module: str
    ports: dict[str, str]
    clocks_per_bit: int
