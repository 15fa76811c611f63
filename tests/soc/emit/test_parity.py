"""Upsets on the links of a system with parity: its managers get right data, or an error."""

import re

import pytest
from helpers.emitted import FAST, SIMULATOR
from knotwork_sim.testbench import run_tests
from knotwork_soc import System
from knotwork_soc.emit import write_system

WORDS = (
    "mesh x=2 y=1 name=chip parity=yes data_width=40 buffer_depth=2 node.bus=none "
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target bus.burst=4 "
    "bus.outstanding=2 bus.timeout=16 map.ram.base=0 map.ram.size=4K map.ram.node=1"
)

TEST = '''
import random
from pathlib import Path

import cocotb
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiResp
from knotwork_sim.testbench import SystemTestbench

SLVERR, OKAY = AxiResp.SLVERR, AxiResp.OKAY


async def flip(plane, link, bit, number):
    """Flip a bit of the flit of this number that comes over a link next."""
    wires = {name: getattr(plane, f"{name}_{link}") for name in ("valid", "flip")}
    while True:
        await FallingEdge(plane.clk)
        crosses = int(wires["valid"].value)
        wires["flip"].value = (1 << bit) if crosses and number == 0 else 0
        number -= bool(crosses)


@cocotb.test()
async def upsets(dut):
    """A read and a write under each upset, and both again without one."""
    testbench = SystemTestbench(dut, Path(__file__).with_name("manifest.json"))
    await testbench.start()
    kept, outcomes = bytes(range(16)), []
    await testbench.write(0, 0x100, kept)
    manager = testbench.managers[0]
    for plane, link in ((dut.requests, "0_R"), (dut.responses, "1_L")):
        for bit in BITS:
            for number in (0, 2):
                for way in ("read", "write"):
                    data, at = random.randbytes(16), 0x200
                    access = manager.read(0x100, 16) if way == "read" else manager.write(at, data)
                    upset = cocotb.start_soon(flip(plane, link, bit, number))
                    answer = await testbench.answer(0, access, f"{way} with bit {bit}")
                    upset.cancel()
                    getattr(plane, f"flip_{link}").value = 0
                    assert answer.resp in (OKAY, SLVERR), answer
                    outcomes.append((bit, number, answer.resp))
                    if answer.resp == OKAY:
                        assert way == "write" or answer.data == kept
                        found = testbench.contents[1].read(at, 16)
                        assert way == "read" or found == data
                    await testbench.read(0, 0x100, 16)
                    await testbench.write(0, at, data)
    broken = [bit for bit, _, resp in outcomes if resp == SLVERR]
    dut._log.info("%d of %d accesses met an error", len(broken), len(outcomes))
    assert set(range(40)) & set(BITS) <= set(broken), "every bit of data matters"
    await testbench.finish()
'''


def with_flips(text):
    """Verilog in which a test may flip bits of the links."""
    found, count = re.subn(
        r"^  wire (\[\d+:0\]) link_(\w+)_flit;",
        r"  wire \1 link_\2_flit; reg \1 flip_\2 = 0; wire valid_\2;\n"
        r"  assign valid_\2 = link_\2_valid;",
        text,
        flags=re.M,
    )
    assert count == 2
    found, count = re.subn(r"_i_flit\(link_(\w+)_flit\)", r"_i_flit(link_\1_flit ^ flip_\1)", found)
    assert count == 2
    return found


@pytest.mark.parametrize(
    "bits", [(0, 39, 42), pytest.param(tuple(range(47)), marks=pytest.mark.slow)]
)
def test_no_upset_of_a_link_is_answered_okay_with_wrong_bytes_or_not_at_all(bits, tmp_path):
    write_system(System.from_words(WORDS.split()), tmp_path, testbench=True)
    verilog = tmp_path / "chip.v"
    verilog.write_text(with_flips(verilog.read_text()))
    (tmp_path / "test_chip.py").write_text(f"BITS = {bits}\n{TEST}")
    status = run_tests(
        sources=[verilog],
        top="chip",
        tests="test_chip",
        arguments=[SIMULATOR, "--seed", "1"],
        build_args=FAST,
    )
    assert status == 0
