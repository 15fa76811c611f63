"""Files of a system's testbench: cocotb tests, a script that runs them, a Makefile."""

from knotwork import __version__
from knotwork.emit.testbench import EVERY_COLLECTIVE, longest_beats, run_files
from knotwork.errors import ConfigurationError
from knotwork.version import licensed

from ..planes import STREAMS
from ..system import System

_HEAD = '''"""cocotb tests of {name}. Knotwork {version} wrote them; from here on they are yours.

`python run_{name}.py` runs them, or `make SIM=verilator`, or `make SIM=icarus`. A manager or a
memory, a source or a sink stands at each node. Memories hold, and reads bring, what was written;
packets arrive once, whole and in order; and no port reports an error.
"""

import random
from pathlib import Path

import cocotb
{imports}from knotwork_sim.testbench import SystemTestbench

MANIFEST = Path(__file__).with_name("manifest.json")
VERSION = "{version}"  # of Knotwork, for which these tests were written


async def start(dut):
    """Put something at every node, start the clocks, and reset all."""
    testbench = SystemTestbench(dut, MANIFEST, version=VERSION)
    await testbench.start()  # periods in ns by clock, if others are wanted: {{"clk": 8.0}}
    return testbench
'''

_BUSES = '''

@cocotb.test()
async def every_region(dut):
    """Every manager writes the first and the last bytes of every region, and reads them."""
    testbench = await start(dut)
    for node in testbench.managers:
        for region in testbench.regions:
            for address in (region["base"], region["base"] + region["size"] - 8):
                await testbench.write(node, address, random.randbytes(8))
                await testbench.read(node, address, 8)
    await testbench.finish()


@cocotb.test()
async def all_at_once(dut):
    """All managers at once, each at bytes of its own in every region, with pauses everywhere."""
    testbench = await start(dut)
    testbench.pause(0.3)
    parts = len(testbench.managers)
    tasks = [
        cocotb.start_soon(testbench.use(node, (part, parts), 30))
        for part, node in enumerate(testbench.managers)
    ]
    for task in tasks:
        await task
    await testbench.finish()


@cocotb.test()
async def no_region(dut):
    """An access to no region is answered with an error, and soon."""
    testbench = await start(dut)
    for manager in testbench.managers.values():
        if testbench.nowhere is not None:
            answer = await with_timeout(manager.read(testbench.nowhere, 4), 100, "us")
            assert answer.resp != AxiResp.OKAY
    await testbench.finish()
'''

_STREAMS = '''

UNIT, LONGEST = {unit}, {longest}  # bytes: packets have a multiple of the first


@cocotb.test()
async def packets(dut):
    """Packets between all nodes with streams, first freely, then with pauses everywhere."""
    testbench = await start(dut)
    for pause in (0.0, 0.3):
        testbench.pause(pause)
        for source in testbench.streams:
            for destination in testbench.streams:
                data = random.randbytes(UNIT * random.randint(1, LONGEST // UNIT))
                await testbench.send(source, destination, data)
        await testbench.finish()
'''

_COLLECTIVES = '''

@cocotb.test()
async def collectives_at_once(dut):
    """Random collectives in all groups at once, with pauses everywhere."""
    testbench = await start(dut)
    testbench.pause(0.3)
    for _ in range(20):
        for group in testbench.collectives:
            start_collective(group, random.choice(group.kinds), random.choice(group.operations))
    await testbench.finish()
'''


def system_testbench_files(system: System) -> dict[str, str]:
    """Text of each file, by its name.

    Raises
    ------
    ConfigurationError
        A system for which there is no testbench; one line.
    """
    _require_possible(system)
    name, has_buses = system.name, bool(system.map)
    imports = "from cocotb.triggers import with_timeout\nfrom cocotbext.axi import AxiResp\n"
    text = _HEAD.format(name=name, version=__version__, imports=imports if has_buses else "")
    text += _BUSES if has_buses else ""
    if any(node.is_stream for node in system.nodes):
        text += _STREAMS.format(unit=_unit(system), longest=_longest(system))
    if system.network.collective_groups:
        text += f"\n{EVERY_COLLECTIVE}{_COLLECTIVES}"
    return {f"test_{name}.py": licensed(text)} | run_files(name)


def _unit(system: System) -> int:
    """Bytes whose multiples packets between all nodes have."""
    widths = [node.width for node in system.nodes if node.is_stream]
    whole = max(*widths, system.network.hardware.data_width) // 8
    return 1 if system.settings.keep else whole


def _longest(system: System) -> int:
    """Bytes of the longest packet."""
    _, flits = longest_beats(system.plane(STREAMS).network)
    return max(flits * system.network.hardware.data_width // 8, _unit(system))


def _require_possible(system: System) -> None:
    """Refuse systems whose streams are not of bytes, or do not lead anywhere at any time."""
    network, streams = system.network, [node for node in system.nodes if node.is_stream]
    if not streams:
        return
    topology, routing = network.topology, network.routing
    is_complete = all(len(topology.receivers(n)) == topology.nodes for n in range(topology.nodes))
    if not (is_complete and routing.arrivals == "any_time"):
        raise ConfigurationError(
            f"{system.name}: --testbench must be used with streams from every node to every node "
            f"at any time, not with {topology.name} routing={routing.name}"
        )
    widths = {network.hardware.data_width, *(node.width for node in streams)}
    odd = [width for width in sorted(widths) if width % 8]
    if odd:
        raise ConfigurationError(
            f"{system.name}: --testbench must be used with streams of whole bytes, not of {odd[0]} "
            "bits"
        )
