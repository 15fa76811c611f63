"""Hardware parameters of the routers that move a batch: a packet of each node."""

from dataclasses import dataclass
from typing import ClassVar

from .base import Integer, Parameters, parameter


@dataclass(frozen=True, kw_only=True)
class BatchParameters(Parameters):
    """Hardware parameters of the routers that move a batch, a packet of each node.

    Parameters
    ----------
    data_width : int
        Bits of payload a beat, 8..512.
    words : int
        Beats of every packet, 1..64; a step takes as many clocks.
    """

    name: ClassVar[str] = "batch router"

    data_width: int = parameter(Integer(8, 512), help="payload bits a beat", default=32)
    words: int = parameter(Integer(1, 64), help="beats of every packet", default=1)
