import json
from pathlib import Path

import pytest
from helpers.emitted import FAST, SIMULATOR
from knotwork_sim.testbench.runner import run_tests

PROGRAMS = Path(__file__).parents[2] / "cocotb"


@pytest.fixture
def simulate(tmp_path, monkeypatch):
    """Exit status of a cocotb program on the Verilog of a system named ``chip``.

    The program reads facts from environment variables.
    """
    monkeypatch.setenv("COCOTB_LOG_LEVEL", "ERROR")
    monkeypatch.syspath_prepend(PROGRAMS)

    def run(verilog, program, *, simulator=SIMULATOR, arguments=(), **facts):
        design = tmp_path / "chip.v"
        if not design.exists() or design.read_text() != verilog:  # else it is compiled already
            design.write_text(verilog)
        for name, value in facts.items():
            monkeypatch.setenv(name, json.dumps(value))
        return run_tests(
            sources=[design],
            top="chip",
            tests=program,
            arguments=[simulator, "--seed", "1", *arguments],
            build_args=FAST,
        )

    return run
