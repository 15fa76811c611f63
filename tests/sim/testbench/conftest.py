import os
import subprocess
import sys

import pytest
from knotwork import Network
from knotwork.emit import write_network


@pytest.fixture
def generated(tmp_path):
    """Write a network and its testbench, whose Verilog a function may change; give a runner."""

    def generated(word, edit=lambda text: text, *, split=False):
        write_network(Network.from_word(word), tmp_path, testbench=True, split=split)
        verilog = tmp_path / "noc.v"
        verilog.write_text(edit(verilog.read_text()))

        def run(simulator, *arguments, **environment):
            """Status and output of the testbench's runner."""
            done = subprocess.run(
                [sys.executable, "run_noc.py", simulator, "--seed", "1", *arguments],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "COCOTB_ANSI_OUTPUT": "0"} | environment,
            )
            return done.returncode, done.stdout + done.stderr

        return run

    return generated
