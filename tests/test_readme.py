"""README.md is true: its examples run, its picture is what `draw` makes."""

import re
import shlex
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from knotwork.cli.main import run
from knotwork.network import Network
from knotwork_sim.rtl.verilator import lint

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def block(language, number=0):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)[number]


def commands():
    lines = [line.split("  #")[0].strip() for line in block("sh", 1).splitlines()]
    assert all(line.startswith("knotwork ") for line in lines)
    return [shlex.split(line)[1:] for line in lines]


FAULTY = [
    shlex.split(line.split("  #")[0])[1:]
    for line in block("sh", 1).splitlines()
    if "(exit status 1)" in line
]
QUICK = [words for words in commands() if words[0] not in ("simulate", "bitstream")]
LONG = [words for words in commands() if words not in QUICK]


@pytest.mark.parametrize("words", QUICK, ids=" ".join)
def test_command_runs(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # `check` finds a cycle where the comment says so.
    finds = any(words == found for found in FAULTY)
    assert run(words) == (1 if finds else 0)


@pytest.mark.slow
@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_long_command_runs(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(words) == 0


def test_toml_example_is_a_network(tmp_path):
    (tmp_path / "my.toml").write_text(block("toml"))
    parameters = Network.from_words([str(tmp_path / "my.toml")]).parameters
    assert parameters["n"] == 4
    assert parameters["data_width"] == 64


def test_verilog_example_is_clean_but_for_open_pins(tmp_path):
    assert run(["generate", "hypercube", "n=2", "-o", str(tmp_path)]) == 0
    network = tmp_path / "hypercube_n2.v"
    network.write_text(network.read_text() + block("verilog"))
    said = lint(network, tmp_path / "hypercube_n2.vlt", top="counter_over_network")
    rules = set(re.findall(r"%(?:Warning|Error)-(\w+)", said))
    assert rules <= {"PINMISSING", "PINCONNECTEMPTY"}, said
    assert "%Error:" not in said.replace("%Error: Exiting due to", "")


def test_amaranth_example_sends_its_counter():
    names = {}
    exec(block("python"), names)
    design = names["CounterOverNetwork"]()
    seen = []

    async def watch(ctx):
        for _ in range(20):
            seen.append(ctx.get(design.received))
            await ctx.tick()

    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    simulator.add_testbench(watch)
    simulator.run()
    # Two hops at one clock each and one to leave: number k is at node 3 in clock k + 3.
    assert seen[3:] == list(range(17))


PICTURES = re.findall(
    r"!\[[^]]*\]\(\.readme/([^)]*)\)\s+\*`knotwork (\w+) ([^`]*?)\s-o\s[^`]*`", README
)


def test_every_picture_says_what_made_it():
    assert len(PICTURES) == README.count("![") == 3
    for linked in re.findall(r"\]\((\.readme/[^)]*)\)", README):
        assert (ROOT / linked).is_file()


def test_pictures_are_what_draw_makes(tmp_path):
    for name, verb, words in PICTURES:
        if verb == "draw":
            file = tmp_path / name
            assert run(["draw", *shlex.split(words), "-o", str(file)]) == 0
            assert file.read_text() == (ROOT / ".readme" / name).read_text()


def test_figures_have_the_networks_of_their_sweeps():
    """To sweep them again would take minutes."""
    ((name, _, words),) = [picture for picture in PICTURES if picture[1] == "sweep"]
    nets = [word for word in words.split() if ":" in word]
    assert len(nets) == 10
    for traffic in ("uniform", "complement", "transpose"):
        figure = (ROOT / ".readme" / name.replace("uniform", traffic)).read_text()
        for net in nets:
            assert (f"<!-- {net}:" in figure) == (traffic != "transpose" or "tcpg" not in net)


def test_hardware_keys_are_those_of_the_router():
    from knotwork.parameters import PacketParameters

    table = README.partition("Hardware keys")[2].partition("##")[0]
    assert re.findall(r"^\| `(\w+)` ", table, re.MULTILINE) == list(PacketParameters.keys())
