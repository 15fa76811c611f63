"""What crossed the ports of a network since a reset, cycle by cycle."""

from dataclasses import dataclass, field

from ..model.record import TakenBeat
from ..traffic.packets import NEVER


@dataclass
class OfferedPacket:
    """Packet that a source offers at its port.

    Members
    -------
    source : int
        Node.
    tdest, tuser : int
        What stood beside its first beat; 0 where there is no such signal.
    data : list of int
        Beats offered so far.
    offered : list of int
        Cycle from which each of them was offered.
    injected : int
        Cycle in which the network took the first one; `NEVER` until then.
    is_complete : bool
        Whether its last beat was offered.
    is_upset : bool
        Whether a bit of its first beat has flipped in the network since.
    """

    source: int
    tdest: int
    tuser: int
    data: list[int] = field(default_factory=list)
    offered: list[int] = field(default_factory=list)
    injected: int = NEVER
    is_complete: bool = False
    is_upset: bool = False


@dataclass
class OfferedTable:
    """Table that a network was offered.

    Members
    -------
    time : int
        Cycle from which its first entry was offered.
    entries : list of int
        Entries, as `tdata` has them.
    offered : list of int
        Cycle from which each of them was offered.
    is_complete : bool
        Whether the last one has been taken.
    """

    time: int
    entries: list[int] = field(default_factory=list)
    offered: list[int] = field(default_factory=list)
    is_complete: bool = False


@dataclass
class Observation:
    """All that was seen at the ports since a reset.

    Members
    -------
    sent : list of list of OfferedPacket
        Packets of each node, in their order.
    beats : list of TakenBeat
        Beats that nodes took.
    refused : list of (int, int)
        Cycle and node of each refusal.
    ready : list of int
        Nodes that were ready to take a beat, a bit each, by cycle.
    loaded : list of OfferedTable
        Tables that it was offered.
    status : list of (int, int)
        Cycle and value at each change of its status, the first cycle included.
    """

    sent: list[list[OfferedPacket]]
    beats: list[TakenBeat] = field(default_factory=list)
    refused: list[tuple[int, int]] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)
    loaded: list[OfferedTable] = field(default_factory=list)
    status: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, nodes: int) -> "Observation":
        """Observation of so many nodes, before the first cycle."""
        return cls([[] for _ in range(nodes)])

    @property
    def cycles(self) -> int:
        """Cycles that have been seen."""
        return len(self.ready)
