"""What a flow of third-party tools works from: a top module, its ports, clocks and buses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ...gateware.collectives import plan
from ...monitoring import RegisterMap, network_registers
from ...network import Network
from ..ports import (
    CONFIG_PREFIX,
    MONITOR_PREFIX,
    eject_prefix,
    has_config,
    has_monitor,
    inject_prefix,
    network_ports,
    verilog_prefix,
)
from ..source import verilog_files
from ..verilog import header

STREAM = "stream"
"""Kind of bus of an AXI4-Stream; the others are those of a node's key `bus`."""


@dataclass(frozen=True, kw_only=True)
class BusInterface:
    """Bus of a top: all ports whose names begin so.

    Members
    -------
    prefix : str
        First part of its ports' names, ``s_axi_0``.
    bus : str
        Its kind: ``stream``, or one of `BUS_KINDS`.
    is_driven : bool
        Whether the top is the target or the receiver here, not the initiator or the sender.
    clock : str
        Port of its clock.
    is_mapped : bool
        Whether whoever drives it reaches the regions of the address map.
    registers : RegisterMap, optional
        Registers that it reads and writes.
    """

    prefix: str
    bus: str
    is_driven: bool
    clock: str = "clk"
    is_mapped: bool = False
    registers: RegisterMap | None = None


class AddressRegion(NamedTuple):
    """Addresses that a bus of a top leads to.

    Members
    -------
    base, size : int
        First byte, and bytes.
    prefix : str
        First part of the names of the bus's ports.
    """

    base: int
    size: int
    prefix: str


@dataclass(frozen=True, kw_only=True)
class Top:
    """Top module, with the ports that its design connects.

    Members
    -------
    name, description : str
        Its name; what it is, for people.
    header : callable
        Lines at the head of a file, of comments that begin with this mark.
    files : sequence of str
        Names of its Verilog files, in the order in which tools read them.
    clocks : mapping of str to str
        Reset of each clock; the network's first.
    mesochronous : tuple of str
        Those of the clocks that have the frequency of the first.
    is_reset_low : bool
        Level of the resets.
    inputs, outputs : mapping of str to int
        Bits of the other ports.
    interfaces : tuple of BusInterface
        Buses among them.
    address_width, data_width : int
        Bits of an address and of a beat of the buses with a map.
    regions : mapping of str to AddressRegion
        Address map: what is where, and the bus that leads to it.
    routers : tuple of str
        Paths of the routers' instances within the top.
    """

    name: str
    description: str
    header: Callable[[str], str]
    files: Sequence[str]
    clocks: Mapping[str, str]
    mesochronous: tuple[str, ...] = ()
    is_reset_low: bool = False
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    interfaces: tuple[BusInterface, ...]
    address_width: int = 0
    data_width: int = 0
    regions: Mapping[str, AddressRegion]
    routers: tuple[str, ...]


def stream_interfaces(
    network: Network, node: int, clock: str = "clk"
) -> tuple[BusInterface, BusInterface]:
    """Both streams of a node."""
    return (
        BusInterface(prefix=inject_prefix(network, node), bus=STREAM, is_driven=True, clock=clock),
        BusInterface(prefix=eject_prefix(network, node), bus=STREAM, is_driven=False, clock=clock),
    )


def network_interfaces(
    network: Network, outside: Callable[[str], str] = str
) -> tuple[BusInterface, ...]:
    """Buses of the network itself, not of a node: those of its tables and its monitor.

    Parameters
    ----------
    network : Network
        Network.
    outside : callable
        Name in the top of a port of the network.
    """
    found: list[BusInterface] = []
    if has_config(network):
        found.append(BusInterface(prefix=outside(CONFIG_PREFIX), bus=STREAM, is_driven=True))
    if has_monitor(network):
        found.append(
            BusInterface(
                prefix=outside(MONITOR_PREFIX),
                bus="axi_lite",
                is_driven=True,
                registers=network_registers(network),
            )
        )
    return tuple(found)


def collective_interfaces(network: Network) -> tuple[BusInterface, ...]:
    """Both streams of each member of each group that has collectives."""
    return tuple(
        BusInterface(prefix=verilog_prefix(port), bus=STREAM, is_driven=port.receives)
        for port in plan.collective_ports(network)
        if port.bundle
    )


def router_cells(network: Network) -> tuple[str, ...]:
    """Instances of the routers in a network's top."""
    topology = network.topology
    return tuple(f"router_{topology.router_identifier(n)}" for n in range(topology.routers))


def network_top(network: Network, files: Sequence[str] = ()) -> Top:
    """Its ports: a pair of streams per node, those of its monitor and its tables, and of groups.

    Parameters
    ----------
    network : Network
        Network.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    into, out = network_ports(network)
    nodes = range(network.topology.nodes)
    return Top(
        name=network.name,
        description=f"Network-on-chip of {network.topology.nodes} nodes",
        header=partial(header, network),
        files=verilog_files(network.name, files),
        clocks={"clk": "rst"},
        inputs=into,
        outputs=out,
        interfaces=(
            *(each for node in nodes for each in stream_interfaces(network, node)),
            *network_interfaces(network),
            *collective_interfaces(network),
        ),
        regions={},
        routers=router_cells(network),
    )


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Files that a third-party tool needs beside the Verilog.

    Parameters
    ----------
    of_top : callable, optional
        Text of each file, by its name, of any top.
    of_network : callable, optional
        The same of a network, where the files are of a network's own ports.
    core : callable, optional
        Parts of a network's FuseSoC core that name them.
    top_core : callable, optional
        Parts of any other top's core that name those of `of_top`.
    """

    of_top: Callable[[Top], dict[str, str]] | None = None
    of_network: Callable[[Network], dict[str, str]] | None = None
    core: Callable[[Network], "CoreParts"] | None = None
    top_core: Callable[[Top], "CoreParts"] | None = None

    def files(self, network: Network, verilog: Sequence[str] = ()) -> dict[str, str]:
        """Text of each file, by its name, of a network with these Verilog files."""
        if self.of_network is not None:
            return self.of_network(network)
        return {} if self.of_top is None else self.of_top(network_top(network, verilog))


@dataclass(frozen=True, kw_only=True)
class CoreParts:
    """Parts of a FuseSoC core.

    Parameters
    ----------
    filesets : dict
        Lines of each file set: a file and its type, by its name.
    targets : str
        Targets, as lines of YAML.
    """

    filesets: dict[str, dict[str, str]]
    targets: str = ""
