"""What a system must have done, and the words when it did not."""

import pytest
from cocotbext.axi.sparse_memory import SparseMemory
from knotwork_sim.testbench.system.judging import Packet, require_bytes, require_flows

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


def test_packets_that_nobody_sent_are_found():
    with pytest.raises(AssertionError, match="node 1 to node 2: packet 0 must be None"):
        require_flows({(1, 2): [ONE]}, {})


def test_memories_hold_the_same_bytes():
    found, expected = SparseMemory(1 << 32), SparseMemory(1 << 32)
    for memory in (found, expected):
        memory.write(0x8000_0FFF, b"ab")
    require_bytes(found, expected, 0x8000_0000, 0x2000)
    found.write(0x8000_1000, b"c")
    with pytest.raises(AssertionError, match=r"^0x80001000 must hold 0x62, not 0x63"):
        require_bytes(found, expected, 0x8000_0000, 0x2000)
    require_bytes(found, expected, 0x8000_0000, 0x1000)
