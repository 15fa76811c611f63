"""Every command and example on a page runs and ends as the page says.

A block of ``sh`` is a session: its lines run in order, in one folder. A line must begin with
``knotwork``, or name a target of the Makefile; ``> FILE`` keeps what it prints, and the comment
``(exit status 1)`` says how it ends. Commands that compile Verilog, prove or build a bitstream, and
those of which a comment says that they take minutes, are only parsed in `make test`; the slow tests
run their sessions in full.

A block whose fence names a file (```` ```toml my.toml ````) is in that folder when the page's
sessions run. A block of ``verilog`` stands beside the network that the page's last ``knotwork
generate`` before it writes.
"""

import gc
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import click
import pytest
from amaranth.sim import Simulator
from helpers.emitted import lint
from helpers.pages import PAGES, README, ROOT, SESSIONS, Block, Page
from knotwork.cli import main
from knotwork_sim.sweep.workers import LocalWorkers
from knotwork_soc import System

ENDLESS = {"monitor", "studio"}
"""Verbs that wait for a board, or for a page to be closed."""
LONG = {
    *("describe moebius n=7 routing=spr --routing", "check moebius n=6 routing=spr"),
    *("check moebius n=6 routing=spr vc_scheme=escape", "doctor", "doctor --json"),
    "simulate moebius n=10 rate=0.2 packets=20000 --engine model",
}
"""Further commands of more than a second, all with a smaller one of their kind among the tests."""
PROVING = {"hdl/docs/adapters.md"}
"""Pages whose Python proves Verilog; tests/soc/formal/adapters has the same proofs."""


def is_long(command):
    """Whether a command is only parsed in `make test`."""
    words = command.words[1:]
    if command.words[0] != "knotwork" or "model" in words:
        return shlex.join(words) in LONG
    is_sweep = words[0] == "sweep" and not {"--measure", "--permutation"} & set(words)
    return command.is_slow or is_sweep or shlex.join(words) in LONG


def play(block, folder, monkeypatch, capsys, *, in_full):
    """Run a session; the statuses must be those that its comments promise."""
    for file in Page(block.page).blocks:
        if file.file is not None:
            (folder / file.file).write_text(file.text)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(LocalWorkers, "_start", lambda self: ThreadPoolExecutor(1))
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in block.commands:
        program, *words = command.words
        if program == "make":
            assert words[0] in targets
            continue
        assert program == "knotwork", f"{block}: {program} is not run by this test"
        if (words[0] in ENDLESS and words[1:2] != ["simulated"]) or (
            not in_full and is_long(command)
        ):
            verb = main.cli.get_command(click.Context(main.cli), words[0])
            verb.make_context(words[0], words[1:])
            continue
        capsys.readouterr()
        assert main.run(words) == command.status, f"{block}: {shlex.join(words)}"
        if command.output is not None:
            (folder / command.output).write_text(capsys.readouterr().out)


@pytest.mark.parametrize("block", SESSIONS, ids=str)
def test_session_runs(block, tmp_path, monkeypatch, capsys):
    play(block, tmp_path, monkeypatch, capsys, in_full=False)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", [b for b in SESSIONS if any(map(is_long, b.commands))], ids=str)
def test_long_session_runs(block, tmp_path, monkeypatch, capsys):
    play(block, tmp_path, monkeypatch, capsys, in_full=True)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("knotwork describe moebius n=99\n", "describe moebius n=99"),
        ("knotwork describe moebius n=3  # (exit status 1)\n", "describe moebius n=3"),
        ("curl https://x\n", "curl is not run"),
        ("make tea\n", "tea"),
    ],
)
def test_a_session_that_fails_is_caught(text, complaint, tmp_path, monkeypatch, capsys):
    block = Block("README.md", 1, "sh", None, text)
    with pytest.raises(AssertionError, match=complaint):
        play(block, tmp_path, monkeypatch, capsys, in_full=True)


@pytest.mark.parametrize("block", [b for page in PAGES for b in page.of("toml")], ids=str)
def test_toml_is_a_network(block, tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(block.text)
    system = System.from_words([str(file)])
    parameters = system.network.parameters
    head, *tables = re.split(r"^\[", block.text, flags=re.MULTILINE)
    written = dict(re.findall(r"^(\w+) = (.*)$", head, re.MULTILINE))
    del written["network"]
    assert {key: str(parameters[key]) for key in written} == written
    for table in tables:
        assert any(key.startswith(f"{table.partition(']')[0]}.") for key in system.overrides), table


def generated_before(block):
    """Words of the last `generate` before a block, without its `-o`."""
    commands = [
        command.words[2:]
        for session in Page(block.page).of("sh")
        if session.line < block.line
        for command in session.commands
        if command.words[:2] == ["knotwork", "generate"]
    ]
    words = commands[-1]
    return words[: words.index("-o")] if "-o" in words else words


verilog = pytest.mark.parametrize(
    "block", [b for page in PAGES for b in page.of("verilog")], ids=str
)


def design(block, folder):
    """Files of a design on a page, the top last; its network's waivers; the top's name."""
    words = generated_before(block)
    assert main.run(["generate", *words, "-o", str(folder)]) == 0
    name = System.from_words(words).name
    (top,) = re.findall(r"^module (\w+)", block.text, re.MULTILINE)
    (folder / f"{top}.v").write_text(block.text)
    return [folder / f"{name}.v", folder / f"{top}.v"], folder / f"{name}.vlt", top


@verilog
def test_verilator_warns_of_nothing(block, tmp_path):
    (network, file), waivers, top = design(block, tmp_path)
    options = [str(network), f"-I{tmp_path}"]
    assert lint(file, waivers, top=top, options=options) == ""
    file.write_text(re.sub(r"\.rst\(rst\)", ".rst()", block.text))
    assert "PINCONNECTEMPTY" in lint(file, waivers, top=top, options=options)


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed")
@verilog
def test_icarus_warns_of_nothing(block, tmp_path):
    files, _, _ = design(block, tmp_path)
    command = ["iverilog", "-g2012", "-Wall", f"-I{tmp_path}", "-o", str(tmp_path / "out")]
    command += map(str, files)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    files[1].write_text(re.sub(r"\.rst\(rst\)", ".rst()", block.text))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "dangling input port" in done.stderr


PROGRAMS = [
    pytest.param(page, marks=pytest.mark.slow if page.path in PROVING else (), id=page.path)
    for page in PAGES
    if page.of("python")
]


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize("page", PROGRAMS)
def test_python_runs(page, tmp_path, monkeypatch):
    """The blocks of a page follow each other in one program."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in page.of("python"):
        exec(compile(block.text, str(block), "exec"), names)
    names.clear()
    gc.collect()  # here, where components that a page only shows may go unused


def test_amaranth_example_sends_its_counter():
    names = {}
    exec(README.of("python")[0].text, names)
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
    # Two routers of two cycles each: number k is at node 3 in cycle k + 4.
    assert seen[4:] == list(range(16))


def test_blocks_are_of_kinds_that_are_run():
    languages = {block.language for page in PAGES for block in page.blocks}
    assert languages <= {"sh", "toml", "json", "python", "py", "verilog", "csv", "text", ""}
    programs = [block.file for page in PAGES for block in page.of("py")]
    assert programs == ["circulant_script.py"]  # run by tests/user_defined/test_script.py
