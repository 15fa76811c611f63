"""Hardware parameters of the bufferless deflection routers."""

from dataclasses import dataclass
from typing import ClassVar

from .base import parameter
from .kinds import YES_NO, Integer
from .routers import RouterParameters


@dataclass(frozen=True, kw_only=True)
class DeflectionParameters(RouterParameters):
    """Hardware parameters of the bufferless deflection router.

    Parameters
    ----------
    data_width : int
        Payload bits per packet, 8..512.
    source : bool
        A packet carries its source's address; without, `m_axis` has no `tid`.
    sequence_width : int
        Bits of a packet's number among those of its source and destination, 0..16; 0 for none.
    """

    name: ClassVar[str] = "deflection router"

    data_width: int = parameter(Integer(8, 512), help="payload bits per packet", default=32)
    source: bool = parameter(YES_NO, help="packets carry their source's address", default=True)
    sequence_width: int = parameter(
        Integer(0, 16), help="bits of the packet number within a flow", default=0
    )

    @property
    def has_source(self) -> bool:
        """Value of `source`."""
        return self.source

    @property
    def sequence_bits(self) -> int:
        """Value of `sequence_width`."""
        return self.sequence_width

    @property
    def longest_packet(self) -> int:
        """One flit."""
        return 1
