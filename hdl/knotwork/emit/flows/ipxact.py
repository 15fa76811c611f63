"""IP-XACT (IEEE 1685-2014) component of a network's Verilog."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ... import __version__
from ...monitoring.registers import SINGLE, WORD, Array, RegisterMap, network_registers
from ...network import Network
from ..ports import (
    CONFIG_PREFIX,
    MONITOR_PREFIX,
    eject_prefix,
    has_config,
    has_monitor,
    inject_prefix,
    network_ports,
)

_SPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"


class _Bus(NamedTuple):
    """Bus definition, and the side of it on which an interface stands."""

    vendor: str
    library: str
    name: str
    version: str
    role: str = "slave"


_STREAM = _Bus("amba.com", "AMBA4", "AXI4Stream", "r0p0_1")
_LITE = _Bus("amba.com", "AMBA4", "AXI4-Lite", "r0p0_0")
_CLOCK = _Bus("xilinx.com", "signal", "clock", "1.0")
_RESET = _Bus("xilinx.com", "signal", "reset", "1.0")


def ipxact_files(network: Network) -> dict[str, str]:
    """File of the component."""
    return {f"{network.name}.xml": ipxact_text(network)}


def ipxact_text(network: Network) -> str:
    """Component with a bus interface per stream, and with the registers of a monitor."""
    ET.register_namespace("ipxact", _SPACE)
    root = _node(None, "component")
    _named(root, network.name)
    _interfaces(_node(root, "busInterfaces"), network)
    if has_monitor(network):
        _memory_map(_node(root, "memoryMaps"), network_registers(network))
    _model(_node(root, "model"), network)
    files = _node(_node(root, "fileSets"), "fileSet")
    _node(files, "name", "rtl")
    file = _node(files, "file")
    _node(file, "name", f"{network.name}.v")
    _node(file, "fileType", "verilogSource")
    _node(root, "description", f"Network-on-chip of {network.topology.nodes} nodes")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _node(parent: ET.Element | None, name: str, text: object = None) -> ET.Element:
    tag = f"{{{_SPACE}}}{name}"
    made = ET.Element(tag) if parent is None else ET.SubElement(parent, tag)
    made.text = None if text is None else str(text)
    return made


def _named(parent: ET.Element, name: str) -> None:
    for key, value in (
        ("vendor", "knotwork"),
        ("library", "noc"),
        ("name", name),
        ("version", __version__),
    ):
        _node(parent, key, value)


def _interfaces(parent: ET.Element, network: Network) -> None:
    into, out = network_ports(network)
    ports = [*into, *out]
    nodes, source = range(network.topology.nodes), _STREAM._replace(role="master")
    streams = [(inject_prefix(node), _STREAM) for node in nodes]
    streams += [(eject_prefix(node), source) for node in nodes]
    streams += [(CONFIG_PREFIX, _STREAM)] if has_config(network) else []
    for prefix, bus in streams:
        _interface(parent, prefix, bus, _signals(prefix, ports))
    if has_monitor(network):
        memory = _interface(parent, MONITOR_PREFIX, _LITE, _signals(MONITOR_PREFIX, ports))
        _node(memory, "memoryMapRef").set("memoryMapRef", "monitor")
    buses = ":".join([prefix for prefix, _ in streams] + [MONITOR_PREFIX] * has_monitor(network))
    _interface(parent, "clock", _CLOCK, {"CLK": "clk"}, {"ASSOCIATED_BUSIF": buses})
    _interface(parent, "reset", _RESET, {"RST": "rst"}, {"POLARITY": "ACTIVE_HIGH"})


def _signals(prefix: str, ports: Iterable[str]) -> dict[str, str]:
    """Ports of a bus, by the bus's own names of them."""
    start = f"{prefix}_"
    return {port.removeprefix(start).upper(): port for port in ports if port.startswith(start)}


def _interface(
    parent: ET.Element,
    name: str,
    bus: _Bus,
    signals: Mapping[str, str],
    parameters: Mapping[str, str] | None = None,
) -> ET.Element:
    """Bus interface; the element of its role."""
    one = _node(parent, "busInterface")
    _node(one, "name", name)
    _reference(one, "busType", bus)
    types = _node(_node(one, "abstractionTypes"), "abstractionType")
    _reference(types, "abstractionRef", bus._replace(name=f"{bus.name}_rtl"))
    maps = _node(types, "portMaps")
    for logical, physical in signals.items():
        pair = _node(maps, "portMap")
        _node(_node(pair, "logicalPort"), "name", logical)
        _node(_node(pair, "physicalPort"), "name", physical)
    found = _node(one, bus.role)
    if parameters:
        listed = _node(one, "parameters")
        for key, value in parameters.items():
            each = _node(listed, "parameter")
            each.set("parameterId", f"{name}_{key.lower()}")
            _node(each, "name", key)
            _node(each, "value", value)
    return found


def _reference(parent: ET.Element, tag: str, bus: _Bus) -> None:
    made = _node(parent, tag)
    for key in ("vendor", "library", "name", "version"):
        made.set(key, getattr(bus, key))


def _memory_map(parent: ET.Element, registers: RegisterMap) -> None:
    """Registers of the monitor."""
    space = _node(parent, "memoryMap")
    _node(space, "name", "monitor")
    block = _node(space, "addressBlock")
    _node(block, "name", "registers")
    _node(block, "baseAddress", 0)
    _node(block, "range", 1 << registers.address_width)
    _node(block, "width", 8 * WORD)
    ways = {"r": "read-only", "w": "write-only", "rw": "read-write"}
    for name, offset in registers.registers.items():
        way, what = SINGLE[name]
        _register(block, name, Array(offset=offset, count=1, what=what), ways[way])
    for name, array in registers.arrays.items():
        _register(block, name, array, "read-only")
    _node(space, "addressUnitBits", 8)


def _register(parent: ET.Element, name: str, array: Array, access: str) -> None:
    one = _node(parent, "register")
    _node(one, "name", name)
    _node(one, "description", array.what)
    if array.count > 1:
        _node(one, "dim", array.count)
    _node(one, "addressOffset", f"'h{array.offset:x}")
    _node(one, "size", 8 * WORD)
    _node(one, "access", access)
    field = _node(one, "field")
    _node(field, "name", "value")
    _node(field, "bitOffset", 0)
    _node(field, "bitWidth", 8 * WORD)


def _model(parent: ET.Element, network: Network) -> None:
    view = _node(_node(parent, "views"), "view")
    _node(view, "name", "rtl")
    _node(view, "componentInstantiationRef", "verilog")
    instance = _node(_node(parent, "instantiations"), "componentInstantiation")
    _node(instance, "name", "verilog")
    _node(instance, "language", "verilog")
    _node(instance, "moduleName", network.name)
    _node(_node(instance, "fileSetRef"), "localName", "rtl")
    ports = _node(parent, "ports")
    into, out = network_ports(network)
    for way, widths in (("in", {"clk": 1, "rst": 1} | into), ("out", out)):
        for name, width in widths.items():
            port = _node(ports, "port")
            _node(port, "name", name)
            wire = _node(port, "wire")
            _node(wire, "direction", way)
            if width > 1:
                vector = _node(_node(wire, "vectors"), "vector")
                _node(vector, "left", width - 1)
                _node(vector, "right", 0)
