"""Channels that a monitor watches, in the order of its bits and counters."""

from collections.abc import Iterator
from typing import NamedTuple

from ..network import Network
from ..router_kind import RouterKind
from ..routing import Turn


class InputProbe(NamedTuple):
    """Input channel of a kind of router, with the turns that its packets can take."""

    port: int
    virtual_channel: int
    turns: tuple[Turn, ...]


def input_probes(kind: RouterKind) -> tuple[InputProbe, ...]:
    """Input channels of a kind of router, by port and virtual channel."""
    return tuple(
        InputProbe(
            port, vc, tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        )
        for port in kind.ports
        for vc in kind.input_vcs(port)
    )


class ProbeWidths(NamedTuple):
    """Bits of a router's probes: its channels, and the turns that packets at them may ask for."""

    channels: int
    turns: int


def probe_widths(kind: RouterKind) -> ProbeWidths:
    """Bits of the probes of a kind of router: a channel per input, and then one per node."""
    inputs = input_probes(kind)
    return ProbeWidths(
        channels=len(inputs) + len(kind.node_ports),
        turns=sum(len(one.turns) for one in inputs),
    )


def network_probes(network: Network) -> ProbeWidths:
    """Bits of the probes of all routers of a network."""
    each = [probe_widths(kind) for kind in network.router_kinds]
    all_of = [each[number] for number in network.router_number]
    return ProbeWidths(sum(one.channels for one in all_of), sum(one.turns for one in all_of))


class Channel(NamedTuple):
    """Place where flits can wait.

    Members
    -------
    number : int
        Its bit, and its counters.
    router, port : int
        Router, and the port by which flits come in; for a channel to a node, by which they leave.
    virtual_channel : int or None
        None for a channel to a node.
    node : int or None
        Node from which flits come, or to which they go; None for a link.
    turns : tuple of Turn
        Ways on, in the order of their bits; none for a channel to a node.
    first_turn : int
        Bit of the first.
    name : str
        What a reader is told: ``from node 00 into router 0_0``, ``into router 0_1 by D, virtual
        channel 0``, ``to node 01``.
    """

    number: int
    router: int
    port: int
    virtual_channel: int | None
    node: int | None
    turns: tuple[Turn, ...]
    first_turn: int
    name: str


def monitored_channels(network: Network) -> tuple[Channel, ...]:
    """Channels of a network of packet routers, router after router."""
    return tuple(_channels(network))


def _channels(network: Network) -> Iterator[Channel]:
    topology = network.topology
    index = bit = 0
    for router in range(topology.routers):
        kind = network.router_kinds[network.router_number[router]]
        label = topology.router_label(router)
        for port, vc, turns in input_probes(kind):
            node = int(topology.local_nodes[router, port]) if port in kind.node_ports else None
            way = f"by {topology.ports[port]}, virtual channel {vc}"
            name = f"into router {label} {way}"
            if node is not None:
                name = f"from node {topology.label(node)} {name}"
            yield Channel(index, router, port, vc, node, turns, bit, name)
            index, bit = index + 1, bit + len(turns)
        for port in kind.node_ports:
            node = int(topology.local_nodes[router, port])
            name = f"to node {topology.label(node)}"
            yield Channel(index, router, port, None, node, (), bit, name)
            index += 1
