"""Hardware parameters of the circuit switches."""

from dataclasses import dataclass
from typing import ClassVar

from .base import parameter
from .kinds import Choice, Integer
from .routers import RouterParameters


@dataclass(frozen=True, kw_only=True)
class CircuitParameters(RouterParameters):
    """Hardware parameters of the switches that join their ports for a network cycle.

    Parameters
    ----------
    data_width : int
        Payload bits per flit, 8..512.
    max_packet : int
        Flits of the longest packet, 1..1024.
    network_seed : int
        Seed of the switches' states, 1..2^32 - 1.
    cycle : str
        ``"fixed"``: all network cycles last as long as the longest packet over the top needs.
        ``"adaptive"``: a network cycle ends when all its circuits are done.
    """

    name: ClassVar[str] = "circuit switch"

    data_width: int = parameter(Integer(8, 512), help="payload bits per flit", default=32)
    max_packet: int = parameter(Integer(1, 1024), help="flits of the longest packet", default=16)
    network_seed: int = parameter(
        Integer(1, 2**32 - 1), help="seed of the switches' choices", default=1
    )

    cycle: str = parameter(
        Choice(("fixed", "adaptive")),
        help="length of network cycles: that of the longest packet, or until all circuits are "
        "released",
        default="fixed",
        silent=True,
    )

    @property
    def ends_early(self) -> bool:
        """Whether a network cycle ends when all its circuits are done."""
        return self.cycle == "adaptive"

    @property
    def longest_packet(self) -> int:
        """Value of `max_packet`."""
        return self.max_packet
