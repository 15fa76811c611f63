"""What is observed of every input channel, whether or not packets branch there."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from ....network import Network, RouterKind
from ....routing import Turn
from .node_side import is_guarded


class PassingPacket(NamedTuple):
    """Position of a stream of flits in its packet.

    Members
    -------
    open : Value
        The last flit that passed was not the tail of its packet.
    turn, header : Value
        Turn and header of that flit.
    """

    open: Value
    turn: Value
    header: Value


class NodePacket(NamedTuple):
    """Packet that the node sends into an input channel, beat by beat.

    Members
    -------
    under_way : Value
        Some of its beats have entered the channel, and its last has not.
    destination, source : Value
        Its addresses.
    is_broadcast : Value
        The packet is a broadcast.
    beats : Value
        Beats of it that were taken, counted up to the longest broadcast.
    cancels : Value
        The beat that is offered makes the broadcast too long.
    """

    under_way: Value
    destination: Value
    source: Value
    is_broadcast: Value
    beats: Value
    cancels: Value


def header_of(flit: data.View) -> Value:
    """What all flits of a packet share: the destination; where packets branch, all but the data.

    With parity they share nothing: any bit of one may be wrong.
    """
    if is_guarded(flit):
        return Const(0, 1)
    if "broadcast" not in flit.shape().members:
        return Value.cast(flit.destination)
    return Cat(flit.destination, flit.source, flit.broadcast)


def channel_name(network: Network, port: int, vc: int) -> str:
    """Name of an input channel in Verilog and in properties, ``local_vc0``."""
    return f"{network.topology.ports[port]}_vc{vc}"


class InputChannel(ABC):
    """One virtual channel of an input port, with its buffer.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Input port and virtual channel.

    Members
    -------
    name : str
        As of `channel_name`.
    is_local : bool
        A node sends into it.
    turns : tuple of Turn
        Turns of its flits, by the bits of `turn` in an entry.
    depth : int
        Flits that the buffer holds.
    offered, arrives : Signal
        A flit is offered to the buffer; the buffer takes it.
    valid : Signal
        The buffer shows a flit.
    """

    offered: Signal
    arrives: Signal
    valid: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int, vc: int) -> None:
        self.port, self.vc = port, vc
        self.is_local = port in kind.node_ports
        self.name = channel_name(network, port, vc)
        self.turns = tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        self.depth = network.depth_at(kind.router, port)

    @property
    @abstractmethod
    def entry(self) -> data.View:
        """Flit that is offered, and its turns."""

    @property
    @abstractmethod
    def shown(self) -> data.View:
        """Flit that the buffer shows."""

    @property
    @abstractmethod
    def leaves(self) -> Value:
        """Whether the flit that is shown leaves the router."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[Value]:
        """By turn, the label with which a copy of the flit that is offered leaves."""

    @property
    def is_routed(self) -> Value:
        """Whether the turns of what is offered are those of its own header."""
        return Const(1)

    @abstractmethod
    def is_legal(self) -> Value:
        """Whether the routing can bring here what is offered."""

    @abstractmethod
    def continues(self) -> Value:
        """Whether what is offered continues its packet, or begins one."""

    @abstractmethod
    def asks(self, turn: Turn) -> Value:
        """Whether the packet that is shown asks for the output of this turn."""

    @abstractmethod
    def goes(self, turn: Turn) -> Value:
        """Whether the flit that is shown leaves by this turn."""

    @abstractmethod
    def flit_by(self, turn: Turn) -> data.View:
        """Flit that is shown, as it leaves by this turn."""

    @abstractmethod
    def going(self, turn: Turn) -> PassingPacket:
        """Packet on its way out by this turn."""

    @abstractmethod
    def entering(self, node: NodePacket) -> Sequence[Value]:
        """What must hold of the packet that enters, so that it is the one that the node sends."""

    @abstractmethod
    def leaving(self) -> Sequence[Value]:
        """What must hold of the turns by which a packet is on its way out."""
