"""IP-XACT (IEEE 1685-2014) component of the Verilog of a network or a system."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import NamedTuple

from ... import __version__
from ...monitoring import SINGLE, WORD, Array, RegisterMap
from ...version import LICENCE_LINE, public, stamp
from .top import STREAM, BusInterface, Top

_SPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"

_ADDRESSES = "addresses"
"""Memory map of all that the system's managers reach."""


class _Bus(NamedTuple):
    """Bus definition."""

    vendor: str
    library: str
    name: str
    version: str


_BUSES = {
    STREAM: _Bus("amba.com", "AMBA4", "AXI4Stream", "r0p0_1"),
    "axi4": _Bus("amba.com", "AMBA4", "AXI4", "r0p0_0"),
    "axi_lite": _Bus("amba.com", "AMBA4", "AXI4-Lite", "r0p0_0"),
    "apb": _Bus("amba.com", "AMBA4", "APB4", "r0p0_0"),
    "wishbone": _Bus("opencores.org", "interface", "wishbone", "b4"),
}
"""Definitions by kind of bus."""

_CLOCK = _Bus("xilinx.com", "signal", "clock", "1.0")
_RESET = _Bus("xilinx.com", "signal", "reset", "1.0")


def ipxact_files(top: Top) -> dict[str, str]:
    """File of the component."""
    return {f"{top.name}.xml": ipxact_text(top)}


def ipxact_text(top: Top) -> str:
    """Component: a bus interface per bus, clock and reset; registers and the address map."""
    ET.register_namespace("ipxact", _SPACE)
    root = _node(None, "component")
    _named(root, top.name)
    _interfaces(_node(root, "busInterfaces"), top)
    if top.regions:
        _address_spaces(_node(root, "addressSpaces"), top)
    read = [each for each in top.interfaces if each.registers is not None]
    if read or top.regions:
        maps = _node(root, "memoryMaps")
        for each in read:
            if each.registers is not None:
                _registers(maps, _map_name(each), each.registers)
        if top.regions:
            _address_map(maps, top)
    _model(_node(root, "model"), top)
    files = _node(_node(root, "fileSets"), "fileSet")
    _node(files, "name", "rtl")
    for name in top.files:
        file = _node(files, "file")
        _node(file, "name", name)
        _node(file, "fileType", "verilogSource")
    _node(root, "description", top.description)
    ET.indent(root)
    declaration, _, text = ET.tostring(root, encoding="unicode", xml_declaration=True).partition(
        "\n"
    )
    return f"{declaration}\n<!-- {stamp(__version__)} {LICENCE_LINE} -->\n{text}\n"


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
        ("version", public(__version__)),
    ):
        _node(parent, key, value)


def _map_name(interface: BusInterface) -> str:
    """Memory map of the registers that a bus reads."""
    return f"{interface.prefix}_registers"


def _interfaces(parent: ET.Element, top: Top) -> None:
    signals = _signals(top)
    for each in top.interfaces:
        role = "slave" if each.is_driven else "master"
        made = _interface(parent, each.prefix, _BUSES[each.bus], signals[each.prefix], role=role)
        if each.registers is not None or each.is_mapped:
            name = _ADDRESSES if each.is_mapped else _map_name(each)
            _node(made, "memoryMapRef").set("memoryMapRef", name)
        if each.prefix in _leading(top):
            _node(made, "addressSpaceRef").set("addressSpaceRef", each.prefix)
    level = "ACTIVE_LOW" if top.is_reset_low else "ACTIVE_HIGH"
    for clock, reset in top.clocks.items():
        buses = ":".join(each.prefix for each in top.interfaces if each.clock == clock)
        associated = {"ASSOCIATED_BUSIF": buses} if buses else {}
        suffix = clock.removeprefix("clk")
        _interface(parent, f"clock{suffix}", _CLOCK, {"CLK": clock}, parameters=associated)
        polarity = {"POLARITY": level}
        _interface(parent, f"reset{suffix}", _RESET, {"RST": reset}, parameters=polarity)


def _leading(top: Top) -> dict[str, list[str]]:
    """Regions that a bus leads to, by its prefix."""
    found: dict[str, list[str]] = {}
    for name, region in top.regions.items():
        found.setdefault(region.prefix, []).append(name)
    return found


def _signals(top: Top) -> dict[str, dict[str, str]]:
    """Ports of each bus by the bus's own names of them, by its prefix: the longest that fits."""
    found: dict[str, dict[str, str]] = {each.prefix: {} for each in top.interfaces}
    for port in (*top.inputs, *top.outputs):
        prefix = port.rpartition("_")[0]
        while prefix and prefix not in found:
            prefix = prefix.rpartition("_")[0]
        if prefix:
            found[prefix][port.removeprefix(f"{prefix}_").upper()] = port
    return found


def _interface(
    parent: ET.Element,
    name: str,
    bus: _Bus,
    signals: Mapping[str, str],
    *,
    role: str = "slave",
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
    found = _node(one, role)
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


def _address_spaces(parent: ET.Element, top: Top) -> None:
    """What a bus that leads to regions addresses: whole addresses, a segment per region."""
    for prefix, names in _leading(top).items():
        space = _node(parent, "addressSpace")
        _node(space, "name", prefix)
        _node(space, "range", 1 << top.address_width)
        _node(space, "width", top.data_width)
        segments = _node(space, "segments")
        for name in names:
            region = top.regions[name]
            segment = _node(segments, "segment")
            _node(segment, "name", name)
            _node(segment, "addressOffset", f"'h{region.base:x}")
            _node(segment, "range", region.size)
        _node(space, "addressUnitBits", 8)


def _address_map(parent: ET.Element, top: Top) -> None:
    """Regions as managers see them, each behind the bus that leads to it."""
    space = _node(parent, "memoryMap")
    _node(space, "name", _ADDRESSES)
    for name, region in top.regions.items():
        part = _node(space, "subspaceMap")
        part.set("masterRef", region.prefix)
        part.set("segmentRef", name)
        _node(part, "name", name)
        _node(part, "baseAddress", f"'h{region.base:x}")
    _node(space, "addressUnitBits", 8)


def _registers(parent: ET.Element, name: str, registers: RegisterMap) -> None:
    """Registers of a monitor."""
    space = _node(parent, "memoryMap")
    _node(space, "name", name)
    block = _node(space, "addressBlock")
    _node(block, "name", "registers")
    _node(block, "baseAddress", 0)
    _node(block, "range", 1 << registers.address_width)
    _node(block, "width", 8 * WORD)
    access = {"r": "read-only", "w": "write-only", "rw": "read-write"}
    for register, offset in registers.registers.items():
        kind, what = SINGLE[register]
        _register(block, register, Array(offset=offset, count=1, what=what), access[kind])
    for register, array in registers.arrays.items():
        _register(block, register, array, "read-only")
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


def _model(parent: ET.Element, top: Top) -> None:
    view = _node(_node(parent, "views"), "view")
    _node(view, "name", "rtl")
    _node(view, "componentInstantiationRef", "verilog")
    instance = _node(_node(parent, "instantiations"), "componentInstantiation")
    _node(instance, "name", "verilog")
    _node(instance, "language", "verilog")
    _node(instance, "moduleName", top.name)
    _node(_node(instance, "fileSetRef"), "localName", "rtl")
    ports = _node(parent, "ports")
    clocks = {name: 1 for pair in top.clocks.items() for name in pair}
    for direction, widths in (("in", clocks | dict(top.inputs)), ("out", top.outputs)):
        for name, width in widths.items():
            port = _node(ports, "port")
            _node(port, "name", name)
            wire = _node(port, "wire")
            _node(wire, "direction", direction)
            if width > 1:
                vector = _node(_node(wire, "vectors"), "vector")
                _node(vector, "left", width - 1)
                _node(vector, "right", 0)
