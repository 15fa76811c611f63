"""Hardware parameters of the bufferless routers."""

from dataclasses import dataclass
from typing import ClassVar

from .base import YES_NO, Integer, Parameters, parameter


@dataclass(frozen=True, kw_only=True)
class DeflectionParameters(Parameters):
    """Hardware parameters of the routers that keep nothing.

    Parameters
    ----------
    data_width : int
        Bits of payload a packet, 8..512.
    source : str
        ``"yes"`` if a packet carries its source's address; without, `m_axis` has no `tid`.
    sequence_width : int
        Bits of a packet's number among those of its source and destination, 0..16; 0 for none.
    """

    name: ClassVar[str] = "deflection router"
    max_packet: ClassVar[int] = 1

    data_width: int = parameter(Integer(8, 512), help="payload bits a packet", default=32)
    source: str = parameter(YES_NO, help="packets carry their source's address", default="yes")
    sequence_width: int = parameter(
        Integer(0, 16), help="bits of a packet's number in its flow", default=0
    )
