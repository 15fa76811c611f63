"""Monitor of a network: its widths, and the members that it adds to the network's."""

from amaranth.lib.wiring import In, Member, Out

from ...monitoring import network_registers
from ...monitoring.channels import network_probes
from ...network import Network
from ..axi_lite import axi_lite_signature
from .monitor import Monitor, monitor_bus

PROBES = ("flits", "waits", "wants")
"""Members of a monitor that hear the routers; these have them as ``probe_flits``, ..."""


def make_monitor(network: Network) -> Monitor:
    """Monitor of a network whose parameters ask for one."""
    widths, hardware = network_probes(network), network.hardware
    return Monitor(
        channels=widths.channels,
        nodes=network.topology.nodes,
        turns=widths.turns,
        counters=hardware.has_counters,
        watchdog=hardware.watchdog_bound,
    )


def monitor_members(network: Network) -> dict[str, Member]:
    """Members of a network with a monitor."""
    bus = axi_lite_signature(monitor_bus(network_registers(network)))
    return {"monitor": In(bus), "alarm": Out(1)}
