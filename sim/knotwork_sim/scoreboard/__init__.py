"""Scoreboard of a network: what must come out of it, and what is wrong with what comes.

It knows no simulator and no cocotb. The testbench of `simulate` and those of users are checked by
it.
"""

from .mismatch import Mismatch
from .scoreboard import Scoreboard

__all__ = ["Mismatch", "Scoreboard"]
