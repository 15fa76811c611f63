"""The script of 45 lines on the page of one's own networks, run as its reader runs it."""

import json
import re
import subprocess
import sys

import pytest
from helpers.pages import Page

(SCRIPT,) = (
    block.text
    for block in Page("hdl/docs/your-own-network.md").blocks
    if block.file == "circulant_script.py"
)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_script_sweeps_simulates_generates_and_draws(tmp_path):
    assert len(SCRIPT.splitlines()) <= 45
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reason, swept, simulated, _ = done.stdout.splitlines()
    assert reason.endswith("is acyclic")
    assert [offered for offered, _ in json.loads(swept.replace("(", "[").replace(")", "]"))] == [
        0.05,
        0.1,
        0.2,
    ]
    assert "500 of 500 packets delivered" in simulated
    manifest = json.loads((tmp_path / "circulant300/manifest.json").read_text())
    assert len(manifest["nodes"]) == 300
    (verilog,) = (tmp_path / "circulant300").glob("*.v")
    text = verilog.read_text()
    assert text.count("_router router_") == 300
    (module,) = re.findall(r"^module (\w+_router) \($", text, re.MULTILINE)  # placed 300 times
    assert module == f"{verilog.stem}_router"
    assert "circulant" in (tmp_path / "circulant.svg").read_text()
