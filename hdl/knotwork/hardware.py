"""Hardware parameters: the keys of each class of router."""

from dataclasses import dataclass
from typing import ClassVar

from .parameters import YES_NO, Integer, Parameters, parameter


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


@dataclass(frozen=True, kw_only=True)
class CircuitParameters(Parameters):
    """Hardware parameters of the switches that join their ports for a network cycle.

    Parameters
    ----------
    data_width : int
        Bits of payload a flit, 8..512.
    max_packet : int
        Flits of the longest packet, 1..1024.
    network_seed : int
        Seed of the switches' states, 1..2^32 - 1.
    """

    name: ClassVar[str] = "circuit switch"

    data_width: int = parameter(Integer(8, 512), help="payload bits a flit", default=32)
    max_packet: int = parameter(Integer(1, 1024), help="flits of the longest packet", default=16)
    network_seed: int = parameter(
        Integer(1, 2**32 - 1), help="seed of the switches' choices", default=1
    )


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


ROUTER_PARAMETERS: dict[str, type[Parameters]] = {
    "packet": PacketParameters,
    "batch": BatchParameters,
    "circuit": CircuitParameters,
    "deflection": DeflectionParameters,
    "ring_deflection": DeflectionParameters,
}
"""Hardware keys by the class of router that a routing names."""
