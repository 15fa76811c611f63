"""cocotb test that reads the self-test's UART; runs inside the simulator.

Environment variables say what to do: SELFTEST_CLOCK and SELFTEST_BAUD in Hz, SELFTEST_FAULTS (a
list of numbers, one per window). SELFTEST_COMMANDS, if set, is a list of texts: one is sent to the
board while it sends the line of each window. The test writes a JSON list of [line, led_pass,
led_fail] to the file SELFTEST_RESULT. If SELFTEST_SOURCES names a file, the test writes there the
sources of the first SELFTEST_PACKETS packets that came to each of SELFTEST_NODES nodes.
"""

import json
import os
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer


async def read_line(tx, bit_ps, *, begun=False):
    text = ""
    while not text.endswith("\n"):
        if text or not begun:
            await FallingEdge(tx)
        await Timer(bit_ps * 3 // 2, "ps")
        byte = 0
        for place in range(8):
            byte |= int(tx.value) << place
            await Timer(bit_ps, "ps")
        assert tx.value == 1, "the stop bit must be 1"
        text += chr(byte)
    return text


async def sources_of_packets(dut, nodes, count):
    ports = [
        [getattr(dut.network.network, f"m_axis_{node}_{name}") for name in ("tvalid", "tready")]
        for node in range(nodes)
    ]
    sources = [getattr(dut.network.network, f"m_axis_{node}_tid") for node in range(nodes)]
    found = [[] for _ in range(nodes)]
    while any(len(of_node) < count for of_node in found):
        await FallingEdge(dut.clk)
        for node, (valid, ready) in enumerate(ports):
            if int(valid.value) and int(ready.value) and len(found[node]) < count:
                found[node].append(int(sources[node].value))
    return found


async def send(rx, text, bit_ps):
    for byte in text.encode():
        for bit in (0, *(byte >> place & 1 for place in range(8)), 1):
            rx.value = bit
            await Timer(bit_ps, "ps")


@cocotb.test()
async def read_windows(dut):
    period_ps = 2 * round(5e11 / float(os.environ["SELFTEST_CLOCK"]))
    bit_ps = round(1e12 / float(os.environ["SELFTEST_BAUD"]))
    Clock(dut.clk, period_ps, "ps", impl="gpi").start()
    dut.rst.value = 1
    commands = json.loads(os.environ.get("SELFTEST_COMMANDS", "[]"))
    if commands:
        dut.rx.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    watched = None
    if "SELFTEST_SOURCES" in os.environ:
        nodes, packets = (int(os.environ[f"SELFTEST_{name}"]) for name in ("NODES", "PACKETS"))
        watched = cocotb.start_soon(sources_of_packets(dut, nodes, packets))
    lines = []
    for fault in json.loads(os.environ["SELFTEST_FAULTS"]):
        if fault is not None:
            dut.fault.value = fault
        if commands:
            await FallingEdge(dut.tx)
            cocotb.start_soon(send(dut.rx, commands.pop(0), bit_ps))
            line = await read_line(dut.tx, bit_ps, begun=True)
        else:
            line = await read_line(dut.tx, bit_ps)
        await Timer(bit_ps, "ps")
        lines.append([line, int(dut.led_pass.value), int(dut.led_fail.value)])
    Path(os.environ["SELFTEST_RESULT"]).write_text(json.dumps(lines))
    if watched is not None:
        Path(os.environ["SELFTEST_SOURCES"]).write_text(json.dumps(await watched))
