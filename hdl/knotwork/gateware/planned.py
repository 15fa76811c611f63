"""Parts of a wiring plan: modules with their ports, instances, nets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from amaranth.hdl import Const

from ..untyped import Interface

Connection = str | Const | Sequence[str]
"""What is connected to an instance's port: a net, a constant, or nets from the lowest bit on."""


class PlannedPort(NamedTuple):
    """PlannedPort of a module, or of the network.

    Members
    -------
    name : str
        Without `suffix`, such as ``inject`` or ``dim0_o``.
    bundle : str
        What crosses, by its name in `WiringPlan.bundles`; empty for a single signal.
    receives : bool
        A signal is an input; of a bundle, this is the receiver's end.
    member : callable
        Finds the port in the component.
    width : int
        Bits of a single signal.
    suffix : str
        Which port it is of several with one name, ``_3``.
    """

    name: str
    bundle: str
    receives: bool
    member: Callable[[Interface], Any]
    width: int = 1
    suffix: str = ""

    @property
    def key(self) -> str:
        """Name and suffix, by which instances say what is connected to it."""
        return self.name + self.suffix


PortGroup = tuple[PlannedPort, ...]
"""Ports with the same bundle; the Verilog lists them together, signal by signal."""


@dataclass(frozen=True)
class PlannedModule:
    """Module that the network places, perhaps many times.

    Members
    -------
    name : str
        Name of the Verilog module.
    make : callable
        Makes its component.
    groups : tuple of PortGroup
        Ports, in the order of the Verilog module.
    """

    name: str
    make: Callable[[], Interface]
    groups: tuple[PortGroup, ...]

    @property
    def ports(self) -> Iterator[PlannedPort]:
        """All ports."""
        return (port for group in self.groups for port in group)

    @cached_property
    def group_of(self) -> dict[str, PortGroup]:
        """Group of each port, by its key."""
        return {port.key: group for group in self.groups for port in group}


class Net(NamedTuple):
    """Wires between instances: of a bundle, or so many bits; `mark` is its comment, if any."""

    name: str
    bundle: str
    width: int = 1
    mark: str = ""


class PlannedInstance(NamedTuple):
    """Place of a module: its name, and what is connected to each port, by the port's key."""

    module: PlannedModule
    name: str
    connections: dict[str, Connection]


@dataclass(frozen=True)
class WiringPlan:
    """Everything that `Fabric` places, and that `emit.verilog` writes.

    Members
    -------
    bundles : dict of str to Signature
        ``link`` between routers, ``inject`` and ``eject`` at nodes, ``config`` and ``monitor``,
        ``send`` and ``receive`` of collectives; each seen from its sender.
    ports : tuple of PlannedPort
        Ports of the network. The key of each is a net's name too.
    modules : tuple of PlannedModule
        Each once.
    nets : tuple of Net
        All but those of `ports`.
    instances : tuple of PlannedInstance
        Routers first, by number.
    """

    bundles: dict[str, Any]
    ports: tuple[PlannedPort, ...]
    modules: tuple[PlannedModule, ...]
    nets: tuple[Net, ...]
    instances: tuple[PlannedInstance, ...]
