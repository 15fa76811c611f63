"""The monitor in the text of a network's top, and its module."""

from collections.abc import Iterator
from operator import attrgetter

from ..gateware.axi_lite import AXI_LITE_SIGNALS
from ..gateware.monitors.of_network import PROBES, make_monitor
from ..monitoring.channels import probe_widths
from ..network import Network
from .modules import Shell
from .ports import ALARM_PORT, MONITOR_PREFIX, monitor_ports, refused_port
from .top_parts import placed
from .writer.printing import bounds


def monitor_name(network: Network) -> str:
    """Module of the monitor."""
    return network.module_name("monitor")


def monitor_module_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of each input and of each output of the monitor's module, but clock and reset."""
    shell = monitor_shell(network)
    shell.core._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]
    return shell.widths


def monitor_shell(network: Network) -> Shell:
    """The monitor, with a signal for each of its ports."""
    monitor = make_monitor(network)
    shell = Shell(monitor)
    for name in (*PROBES, "refused"):
        shell.input(name, getattr(monitor, name))
    inputs, _ = monitor_ports(network)
    for signal, path in AXI_LITE_SIGNALS.items():
        port = f"{MONITOR_PREFIX}_{signal}"
        (shell.input if port in inputs else shell.output)(port, attrgetter(path)(monitor.bus))
    shell.output(ALARM_PORT, monitor.alarm)
    return shell


def declared_ports(network: Network) -> Iterator[str]:
    """Ports of the monitor in the top; none without one."""
    for way, ports in zip(("input", "output"), monitor_ports(network), strict=True):
        for name, width in ports.items():
            yield f"  {way} {bounds(width)}{name},"


def probe_wires(network: Network) -> Iterator[str]:
    """Wires from the routers to the monitor."""
    for router in range(network.topology.routers):
        for wire, width in _probes(network, router):
            yield f"  wire {bounds(width)}{wire};"


def probe_pins(network: Network, router: int) -> dict[str, str]:
    """Pins of a router to the monitor."""
    end = f"_{network.topology.router_identifier(router)}"
    return {wire.removesuffix(end): wire for wire, _ in _probes(network, router)}


def monitor_place(network: Network) -> Iterator[str]:
    """Instance of the monitor."""
    pins = {"clk": "clk", "rst": "rst"}
    routers = range(network.topology.routers)
    for probe in PROBES:
        wires = [
            wire
            for router in routers
            for wire, _ in _probes(network, router)
            if wire.startswith(f"probe_{probe}_")
        ]
        pins[probe] = _side_by_side(wires)
    pins["refused"] = _side_by_side(
        [refused_port(network, n) for n in range(network.topology.nodes)]
    )
    pins |= {port: port for ports in monitor_ports(network) for port in ports}
    yield from placed(monitor_name(network), "monitor", pins)


def _probes(network: Network, router: int) -> Iterator[tuple[str, int]]:
    """Wires of a router's probes, and their bits; none for those without any."""
    kind = network.router_kinds[network.router_number[router]]
    channels, turns = probe_widths(kind)
    for probe, width in zip(PROBES, (channels, channels, turns), strict=True):
        if width:
            yield f"probe_{probe}_{network.topology.router_identifier(router)}", width


def _side_by_side(wires: list[str]) -> str:
    """Wires as one, the first lowest."""
    return "{\n      " + ",\n      ".join(wires[::-1]) + "\n    }"
