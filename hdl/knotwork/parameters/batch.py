"""Hardware parameters of the routers that move batches: one packet of each node at a time."""

from dataclasses import dataclass
from typing import ClassVar

from .base import parameter
from .kinds import Integer
from .routers import RouterParameters


@dataclass(frozen=True, kw_only=True)
class BatchParameters(RouterParameters):
    """Hardware parameters of the batch router.

    Parameters
    ----------
    data_width : int
        Payload bits per beat, 8..512.
    words : int
        Beats of every packet, 1..64; a step takes as many cycles.
    """

    name: ClassVar[str] = "batch router"

    data_width: int = parameter(Integer(8, 512), help="payload bits per beat", default=32)
    words: int = parameter(Integer(1, 64), help="beats per packet", default=1)

    @property
    def shortest_packet(self) -> int:
        """Value of `words`: packets of a batch are equally long."""
        return self.words

    @property
    def longest_packet(self) -> int:
        """Value of `words`."""
        return self.words
