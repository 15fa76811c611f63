"""Packet routers in the manifest: long links, multicast, broadcast, parity, loaded tables."""

from ..monitoring import monitored_channels, network_registers
from ..network import Network
from .loading import manifest_sections as loading_sections
from .ports import ALARM_PORT, MONITOR_PREFIX, has_monitor


def manifest_sections(network: Network) -> dict[str, object]:
    """Sections of the manifest for what these routers have."""
    return {
        **({"long_links": _long_links(network)} if network.long_links else {}),
        **({"multicast": _multicast(network)} if network.has_multicast else {}),
        **({"broadcast": _broadcast(network)} if network.has_broadcast else {}),
        **({"parity": _PARITY} if network.has_parity else {}),
        **(loading_sections(network) if network.loads_tables else {}),
        **({"monitor": _monitor(network)} if has_monitor(network) else {}),
    }


def _monitor(network: Network) -> dict[str, object]:
    """Bus, registers and channels of the monitor."""
    registers = network_registers(network)
    return {
        "bus": MONITOR_PREFIX,
        "protocol": "AXI4-Lite",
        "address_width": registers.address_width,
        "data_width": 32,
        "alarm": ALARM_PORT,
        "late": "a count is reported at most 2 * channels + nodes cycles late",
        **registers.as_json(),
        "channel_list": [
            {
                "index": one.number,
                "name": one.name,
                "router": network.topology.router_label(one.router),
                "port": network.topology.ports[one.port],
                "virtual_channel": one.virtual_channel,
                "node": one.node,
                "first_turn": one.first_turn,
                "turns": [
                    {
                        "port": network.topology.ports[turn.output_port],
                        "virtual_channel": turn.output_vc,
                    }
                    for turn in one.turns
                ],
            }
            for one in monitored_channels(network)
        ],
    }


def _long_links(network: Network) -> list[dict[str, object]]:
    """Each way of the links that take more than a cycle."""
    topology = network.topology
    return [
        {
            "from": topology.router_label(router),
            "port": topology.ports[port],
            "to": topology.router_label(int(topology.neighbours[router, port])),
            "latency": network.latency(router, port),
            "buffer_depth": network.depth_behind(router, port),
        }
        for router, port in network.long_links
    ]


_PARITY = {
    "tuser": "bit 0 of m_axis_*_tuser is 1 from the first beat of a packet that is found wrong to "
    "its last: on the beat with tlast it speaks for the whole packet",
    "meaning": "a bit of its data or of its header flipped on the way, or the node is not the one "
    "that it was sent to; tdata and tid may be wrong, and so may the node be; of a broadcast or a "
    "multicast the nodes behind may get no copy, and a multicast may come with its chain",
}
"""How broken packets are reported to a node."""


def _multicast(network: Network) -> dict[str, object]:
    """How a node sends a multicast, and its limits."""
    routing = network.routing
    return {
        "mark": "tuser = 1 on the packet's first beat; tdest is then the number of destinations",
        "chain": "the first beats carry the destinations' addresses in the low bits of tdata, the "
        "others 0, in rising order of (address XOR own address); the data follows",
        "delivered": "each destination gets the data alone, with the sender's address as tid",
        "refused": "an empty or too long chain, the sender in it, an address twice, out of order "
        "or of no node, no data, more than max_packet beats",
        "max_destinations": routing.chain_limit,
        "max_packet": routing.options.longest_copied_packet,
        "in_order": False,
    }


def _broadcast(network: Network) -> dict[str, object]:
    """How a node sends a broadcast, and its limits."""
    options = network.routing.options
    of_class = " of its class" if network.traffic_classes > 1 else ""
    return {
        "mark": "tuser = 1 on the packet's first beat; tdest is then not read",
        "delivered": f"every other node{of_class} gets one copy, with the sender's address as tid; "
        "the sender gets none",
        "refused": "more than max_packet beats",
        "max_packet": options.longest_copied_packet,
        "rule": options.broadcast_rule,
        "in_order": True,
        "order": "a sender's broadcasts come to each node in the order in which they were sent; "
        "a broadcast and a packet to one node may come in either order",
    }
