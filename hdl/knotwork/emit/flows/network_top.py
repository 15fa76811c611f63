"""Top of a network, as other people's tools see it."""

from collections.abc import Sequence
from functools import partial

from ...network import Network
from ..ports import network_ports
from ..source import verilog_files
from ..verilog import header
from .top import Top, router_cells, stream_interfaces, whole_interfaces


def network_top(network: Network, files: Sequence[str] = ()) -> Top:
    """Its ports: a pair of streams per node, and those of its monitor and its tables.

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
            *whole_interfaces(network),
        ),
        regions={},
        routers=router_cells(network),
    )
