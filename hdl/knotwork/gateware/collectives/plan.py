"""Trees of collectives in a wiring plan: a module for each group, and ports for its members."""

from collections.abc import Callable, Iterator
from typing import Any

from amaranth.lib import stream

from ...collective_groups import NodeGroup
from ...network import Network
from ...routing.collectives import FAULTS
from ...untyped import Interface
from ..planned import PlannedModule, PlannedPort
from .messages import received_layout, sent_layout
from .tree import CollectiveGroup


def collective_bundles(network: Network) -> dict[str, Any]:
    """Signatures of ``send`` and ``receive``, seen from the sender; none without collectives."""
    for group in network.collective_groups:  # beats of all groups are alike
        return {
            "send": stream.Signature(sent_layout(group.form)),
            "receive": stream.Signature(received_layout(group.form)),
        }
    return {}


def collective_module(network: Network, group: NodeGroup) -> PlannedModule:
    """A group's tree: the streams of its members, and what it says of each."""
    name = network.module_name(group.name)
    ports = tuple((port,) for port in _member_ports(network, group))
    return PlannedModule(
        name, lambda: CollectiveGroup(group.tree, group.form, watchdog=group.watchdog), ports
    )


def _member_ports(network: Network, group: NodeGroup) -> Iterator[PlannedPort]:
    """Ports of a group's tree, member after member."""
    bits = {"refused": ("refused", 1), "fault": ("fault", len(FAULTS)), "awaited": ("waits", 1)}
    if group.watchdog:
        bits["late"] = ("late", 1)

    def part(name: str, member: int) -> Callable[[Interface], Any]:
        return lambda tree: getattr(tree, name)[member]

    for member, node in enumerate(group.tree.members):
        suffix = f"_{network.port_names[node]}"
        yield PlannedPort("send", "send", True, part("send", member), suffix=suffix)
        yield PlannedPort("receive", "receive", False, part("receive", member), suffix=suffix)
        for name, (found, width) in bits.items():
            yield PlannedPort(name, "", False, part(found, member), width, suffix)


def collective_ports(network: Network) -> Iterator[PlannedPort]:
    """Ports of a network for the members of its groups that have collectives."""
    for group in network.collective_groups:
        yield from group_ports(network, group)


def group_ports(network: Network, group: NodeGroup) -> Iterator[PlannedPort]:
    """Ports of a network for the members of a group, in the order of those of its tree."""
    return (_outside(group, port) for port in _member_ports(network, group))


def _outside(group: NodeGroup, port: PlannedPort) -> PlannedPort:
    """Port of a group's tree as one of the network: its name says which group's it is."""
    named = {"name": f"{group.name}_{port.name}"}
    if port.bundle:
        named = {"suffix": f"_{group.name}{port.suffix}"}
    return port._replace(member=lambda fabric: port.member(getattr(fabric, group.name)), **named)
