"""Top of a network, as other people's tools see it."""

from functools import partial

from ...network import Network
from ..ports import network_ports
from ..verilog import header
from .top import Top, router_cells, stream_interfaces, whole_interfaces


def network_top(network: Network) -> Top:
    """Its ports: a pair of streams per node, and those of its monitor and its tables."""
    into, out = network_ports(network)
    nodes = range(network.topology.nodes)
    return Top(
        name=network.name,
        description=f"Network-on-chip of {network.topology.nodes} nodes",
        header=partial(header, network),
        clocks={"clk": "rst"},
        inputs=into,
        outputs=out,
        interfaces=(
            *(each for node in nodes for each in stream_interfaces(network, node)),
            *whole_interfaces(network),
        ),
        regions={},
        routers=router_cells(network),
    )
