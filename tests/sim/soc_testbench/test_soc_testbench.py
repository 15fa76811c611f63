"""What a system's testbench finds at its nodes, sends, and judges."""

import json

import pytest
from cocotbext.axi.sparse_memory import SparseMemory
from helpers.emitted import OF_BRIDGES, OF_STREAMS
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork_sim.soc_testbench.buses import (
    BUS_ENDS,
    Packet,
    _values,
    require_bytes,
    require_flows,
    transfers,
)
from knotwork_sim.soc_testbench.system_testbench import SystemTestbench, _read_manifest
from knotwork_soc import System
from knotwork_soc.emit import system_manifest
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS


def test_every_kind_of_bus_has_ends_and_is_found_by_its_ports():
    assert BUS_ENDS.keys() == BUS_KINDS.keys()
    nodes = system_manifest(System.from_words(OF_BRIDGES.split()))["nodes"]
    assert [node["prefix"] for node in nodes] == ["s_axi_0", "wbs_1", "apbm_2", "m_axi_3"]
    for node in nodes:
        assert sum(port.startswith(f"{node['prefix']}_") for port in node["ports"]) > 3


def test_the_manifest_must_be_a_systems_and_of_the_version(tmp_path):
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps(system_manifest(System.from_words(["hypercube", "n=2"]))))
    with refuses(f"{file}: must be the manifest of a system that `knotwork generate` wrote"):
        _read_manifest(file, None)
    manifest = system_manifest(System.from_words(OF_STREAMS.split()))
    file.write_text(json.dumps(manifest))
    version = manifest["version"]
    assert _read_manifest(file, version)["top"] == "chip"
    with refuses(f"{file}: version must be 9, for which this testbench was written, not {version}"):
        _read_manifest(file, "9")


ONE, TWO = Packet(b"\x01", 0), Packet(b"\x02", 0)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([TWO, ONE], f"packet 0 must be {ONE}, not {TWO}"),
        ([ONE], f"packet 1 must be {TWO}, not None"),
        ([ONE, TWO, TWO], f"packet 2 must be None, not {TWO}"),
        ([ONE, Packet(b"\x02", 1)], f"packet 1 must be {TWO}, not {Packet(bytes([2]), 1)}"),
    ],
)
def test_packets_come_once_whole_and_in_order(found, words):
    require_flows({(0, 3): [ONE, TWO]}, {(0, 3): [ONE, TWO]})
    with pytest.raises(AssertionError) as failed:
        require_flows({(0, 3): found}, {(0, 3): [ONE, TWO]})
    assert str(failed.value).startswith(f"node 0 to node 3: {words}")


def test_packets_that_nobody_sent_are_found_and_memories_hold_the_same_bytes():
    with pytest.raises(AssertionError, match="node 1 to node 2: packet 0 must be None"):
        require_flows({(1, 2): [ONE]}, {})
    found, expected = SparseMemory(1 << 32), SparseMemory(1 << 32)
    for memory in (found, expected):
        memory.write(0x8000_0FFF, b"ab")
    require_bytes(found, expected, 0x8000_0000, 0x2000)
    found.write(0x8000_1000, b"c")
    with pytest.raises(AssertionError, match=r"^0x80001000 must hold 0x62, not 0x63"):
        require_bytes(found, expected, 0x8000_0000, 0x2000)
    require_bytes(found, expected, 0x8000_0000, 0x1000)


@pytest.mark.parametrize(
    ("side", "values"), [(None, set()), (3, {3}), ([1, 1, 1], {1}), ([0, 2], {0, 2})]
)
def test_values_of_a_side_signal(side, values):
    assert _values(side) == values


@pytest.mark.parametrize(
    ("regions", "nowhere"),
    [
        ([], 0),
        ([(0, 16)], 16),
        ([(16, 16), (0, 16)], 32),
        ([(16, 16), (48, 16)], 0),
        ([(0, 32), (32, 32)], None),
    ],
)
def test_the_first_address_in_no_region(regions, nowhere):
    testbench = SystemTestbench.__new__(SystemTestbench)
    testbench.space = 64
    testbench.regions = [{"base": base, "size": size} for base, size in regions]
    assert testbench.nowhere == nowhere


@given(
    address=st.integers(0, 200),
    data=st.binary(min_size=1, max_size=40),
    size=st.sampled_from([1, 2, 4, 8]),
)
def test_wishbone_writes_each_byte_once_where_it_belongs(address, data, size):
    written = {}
    for word in transfers(address, data, size, is_write=True):
        assert word.is_write == 1
        assert word.lanes
        for lane in range(size):
            if word.lanes >> lane & 1:
                place = word.word * size + lane
                assert place not in written
                written[place] = word.data >> 8 * lane & 255
            else:
                assert word.data >> 8 * lane & 255 == 0
    assert written == dict(enumerate(data, address))


def test_wishbone_reads_words():
    (one,) = transfers(6, bytes(2), 4, is_write=False)
    assert one == (0, 1, 0b1100, 0)
