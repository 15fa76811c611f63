"""Gateware that a router class gives to a network; each class's room has one such record."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from amaranth.hdl import Const, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import Member

from ..network import Network, RouterKind
from ..untyped import Interface, View

# Amaranth gives a port whose shape is a layout no type: such ports are `View` or `Interface` here.


class NodeSide(Protocol):
    """Ports by which a router, or a node's interface beside it, serves a node."""

    @property
    def inject(self) -> stream.Interface:
        """From the node."""
        ...

    @property
    def eject(self) -> stream.Interface:
        """To the node."""
        ...

    @property
    def refused(self) -> Signal:
        """High for one cycle for each packet that the node could not send."""
        ...


class RouterComponent(Protocol):
    """Router; ways in by position in ``kind.receiving``, ways out in ``kind.sending``."""

    address: Signal
    i: Interface
    o: Interface

    @property
    def kind(self) -> RouterKind:
        """Connected ports and turns."""
        ...


class InterfaceComponent(NodeSide, Protocol):
    """Interface of a node whose router is elsewhere; `i` and `o` are its link."""

    address: Signal
    i: Interface
    o: Interface


class ChooserComponent(Protocol):
    """What is between the interface of a node and its links; `i` and `o` are arrays of them."""

    address: Signal
    control: View
    sent: Interface
    given: Interface
    i: Interface
    o: Interface


class LinkComponent(Protocol):
    """What is along a channel of a link; `i` is its sender's end, `o` its receiver's."""

    i: Interface
    o: Interface


class ControllerComponent(Protocol):
    """What a network has one of: it steps all routers and interfaces."""

    reports: View
    control: View


@dataclass(frozen=True, kw_only=True)
class ControllerGateware:
    """Controller of a router class, and what crosses between it and the parts that it steps.

    Members
    -------
    controller : callable
        Makes the controller of a network.
    control_layout : callable
        Layout of its signals to all routers and interfaces.
    report_layout : callable
        Layout of the signals to it from each part that serves a node.
    outside_ports : callable
        Ports that it adds to the network's.
    routers_report : bool
        Every router reports to it, by number; otherwise what serves each node does.
    """

    controller: Callable[[Network], ControllerComponent]
    control_layout: Callable[[Network], data.StructLayout]
    report_layout: Callable[[Network], data.StructLayout]
    outside_ports: Callable[[Network], dict[str, Member]] = lambda network: {}
    routers_report: bool = False


class LinkNames(NamedTuple):
    """What the Verilog calls the two ways of a router's link.

    Members
    -------
    into, out : str
        Prefixes of the router's ports, before the names of the link's signals.
    wires : str
        Part of the name of the network's wires that `out` drives, after the router's.
    """

    into: str
    out: str
    wires: str


def names_by_port(network: Network, port: int) -> LinkNames:
    """Names of a link by the port of the topology, ``dim3_i`` and ``dim3_o``."""
    name = network.topology.ports[port]
    return LinkNames(f"{name}_i", f"{name}_o", name)


@dataclass(frozen=True, kw_only=True)
class RouterGateware:
    """Components of a router class.

    Members
    -------
    router : callable
        Makes the router of a kind; it serves its nodes itself where there is no `interface`.
    node_side : callable
        What of a router serves the node at one of its ports, where there is no `interface`.
    constants : callable
        Values of a router's inputs that are constants, by name, for one router of the network.
    link_signature : callable
        Channel of a link, seen from its sender.
    link_names : callable
        Names of the link at a port of a router.
    link_registers : callable or None
        Makes what is along a channel that takes so many cycles, 2 or more; None where all take 1.
    interface : callable or None
        Makes a node's interface, where it is not part of a router.
    chooser : callable or None
        Makes what joins an interface to several links, where nodes may have them.
    controller : ControllerGateware or None
        Controller of all routers and interfaces, where the class has one.
    variant : callable
        What a network has in place of this, if anything.
    """

    router: Callable[[Network, RouterKind], RouterComponent]
    constants: Callable[[Network, int], dict[str, Const]]
    link_signature: Callable[[Network], wiring.Signature]
    node_side: Callable[[Interface, int], NodeSide] = lambda router, port: router
    link_names: Callable[[Network, int], LinkNames] = names_by_port
    link_registers: Callable[[Network, int], LinkComponent] | None = None
    interface: Callable[[Network], InterfaceComponent] | None = None
    chooser: Callable[[Network], ChooserComponent] | None = None
    controller: ControllerGateware | None = None
    variant: Callable[[Network], "RouterGateware | None"] = lambda network: None


def address_constant(network: Network, router: int) -> dict[str, Const]:
    """Constant inputs of a router that needs only its own address."""
    topology = network.topology
    return {"address": Const(topology.router_address(router), topology.address_width)}


def node_suffix(network: Network, port: int) -> str:
    """End of the names of a router's ports for a node; none where routers serve one node each."""
    topology = network.topology
    return f"_{topology.ports[port]}" if topology.local_ports > 1 else ""
