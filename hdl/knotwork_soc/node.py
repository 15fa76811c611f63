"""Keys of a node: what stands between its ports and the network."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Self

from knotwork.errors import ConfigurationError
from knotwork.parameters import Choice, Integer, Parameters, parameter

MEMORY_MAPPED = ("axi4", "axi_lite", "wishbone", "apb")
"""Buses that read and write addresses."""


@dataclass(frozen=True, kw_only=True)
class NodeParameters(Parameters):
    """What stands between a node's ports and the network; None for what all nodes have.

    Parameters
    ----------
    width : int or None
        Bits of a stream's ``tdata``, 8..1024; it divides the network's `data_width`, or is a
        multiple of it, which is the default.
    clock : str or None
        ``network``, the default; ``own`` for a clock of the node's own, of any frequency; or, of a
        stream, ``mesochronous`` for one of the network's frequency and of any phase.
    bus : str or None
        ``stream``, the default; ``axi4``, ``axi_lite``, ``wishbone`` or ``apb``; or ``none`` for a
        node that nothing is at.
    side : str or None
        Of a memory-mapped bus: ``initiator`` where the user's manager is, ``target`` where the
        user's memory is.
    """

    name: ClassVar[str] = "node"

    width: int | None = parameter(
        Integer(8, 1024), help="bits of a stream's tdata (default: data_width)", default=None
    )
    clock: str | None = parameter(
        Choice(("network", "own", "mesochronous")),
        help="its clock (default: the network's)",
        default=None,
    )
    bus: str | None = parameter(
        Choice(("stream", *MEMORY_MAPPED, "none")),
        help="what its ports are (default: stream)",
        default=None,
    )
    side: str | None = parameter(
        Choice(("initiator", "target")), help="who is at a memory-mapped bus", default=None
    )

    def over(self, other: "NodeParameters") -> Self:
        """These keys, and those of another where these have none."""
        own = {key: value for key, value in vars(self).items() if value is not None}
        return dataclasses.replace(self, **{**vars(other), **own})


@dataclass(frozen=True, kw_only=True)
class Node:
    """What stands between a node's ports and the network, resolved.

    Members
    -------
    index : int
        Number of the node.
    bus, side : str
        As of `NodeParameters`; `side` is empty but at memory-mapped buses.
    clock : str
        As of `NodeParameters`; ``network`` of a node that nothing is at.
    width : int
        Bits of a stream's ``tdata``; 0 where there is no stream.
    """

    index: int
    bus: str
    side: str
    clock: str
    width: int

    @property
    def has_own_clock(self) -> bool:
        """Whether it has a clock port of its own."""
        return self.clock != "network"

    @property
    def is_mesochronous(self) -> bool:
        """Whether that clock has the network's frequency."""
        return self.clock == "mesochronous"

    @property
    def is_stream(self) -> bool:
        """Whether its ports are streams."""
        return self.width > 0

    @property
    def is_initiator(self) -> bool:
        """Whether the user's manager is there."""
        return self.side == "initiator"

    @property
    def is_target(self) -> bool:
        """Whether the user's memory is there."""
        return self.side == "target"


def resolved_node(index: int, own: NodeParameters, of_all: NodeParameters, data_width: int) -> Node:
    """Node from its own keys and those of all nodes.

    Raises
    ------
    ConfigurationError
        Keys that do not go together.
    """
    keys = own.over(of_all)
    bus = keys.bus or "stream"
    name = f"node {index}"
    if bus in MEMORY_MAPPED:
        if own.width is not None:
            raise ConfigurationError(
                f"{name}: width must go with bus=stream, not bus={bus}, whose data_width is the "
                f"bus's"
            )
        if keys.side is None:
            raise ConfigurationError(
                f"{name}: side must be given, one of initiator, target, with bus={bus}"
            )
        if keys.clock == "mesochronous":
            raise ConfigurationError(
                f"{name}: clock=mesochronous must go with bus=stream, not bus={bus}"
            )
    elif own.side is not None:
        raise ConfigurationError(f"{name}: side must go with a memory-mapped bus, not bus={bus}")
    width = keys.width or data_width
    if bus == "stream" and width % data_width and data_width % width:
        raise ConfigurationError(
            f"{name}: width must divide the network's data_width of {data_width}, or be a "
            f"multiple of it, not {width}"
        )
    if bus == "none" and own.width is not None:
        raise ConfigurationError(f"{name}: width must go with bus=stream, not bus=none")
    if bus == "none" and own.clock is not None:
        raise ConfigurationError(f"{name}: clock must go with a node that has ports, not bus=none")
    return Node(
        index=index,
        bus=bus,
        side=keys.side or "" if bus in MEMORY_MAPPED else "",
        clock=(keys.clock or "network") if bus != "none" else "network",
        width=width if bus == "stream" else 0,
    )
