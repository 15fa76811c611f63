"""Hardware parameters of the wormhole packet router."""

from dataclasses import dataclass
from typing import ClassVar

from .base import YES_NO, Integer, Parameters, parameter


@dataclass(frozen=True, kw_only=True)
class PacketParameters(Parameters):
    """Hardware parameters of the wormhole packet router.

    Parameters
    ----------
    data_width : int
        Bits of payload a flit, 8..512.
    virtual_channels : int or None
        Virtual channels a link, 1..8; None for what the routing needs.
    buffer_depth : int
        Flits an input buffer, 2..1024.
    pipeline : int
        Clocks a hop of a packet's head, 1 or 2. With 2, an input channel is idle for a clock
        between two packets.
    allow_deadlock : str
        ``"yes"`` builds a network that failed its deadlock check.
    parity : str
        ``"yes"`` gives every flit parity bits, and `m_axis` a flag that marks broken packets.
    """

    name: ClassVar[str] = "packet router"

    data_width: int = parameter(Integer(8, 512), help="payload bits a flit", default=32)
    virtual_channels: int | None = parameter(
        Integer(1, 8),
        help="virtual channels a link (default: what the routing needs)",
        default=None,
    )
    buffer_depth: int = parameter(Integer(2, 1024), help="flits a VC buffer", default=16)
    pipeline: int = parameter(Integer(1, 2), help="clocks a hop", default=1)
    allow_deadlock: str = parameter(YES_NO, help="build it even so", default="no")
    parity: str = parameter(
        YES_NO, help="mark packets that an upset broke", default="no", silent=True
    )
