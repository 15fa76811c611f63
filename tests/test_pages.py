"""Every command and example on a page runs and ends as the page says.

A block of ``sh`` is a session: its lines run in order, in one folder. A line must begin with
``knotwork``, or name a target of the Makefile; ``> FILE`` keeps what it prints, and the comment
``(exit status 1)`` says how it ends. A session is slow where it simulates, proves or builds a
bitstream, or where a comment says that it takes minutes.

A block whose fence names a file (```` ```toml my.toml ````) is in that folder when the page's
sessions run. A block of ``verilog`` stands beside the network that the page's last ``knotwork
generate`` before it writes.
"""

import gc
import re
import shlex
import shutil
import subprocess

import pytest
from amaranth.sim import Simulator
from helpers.lint import lint
from helpers.pages import PAGES, README, ROOT, SESSIONS, Block, Page
from knotwork.cli.main import run
from knotwork.network import Network
from knotwork.system import System
from knotwork_boards.commands import monitor
from knotwork_sim.verbs.studio import studio


def is_slow(block):
    return any(c.words[0] == "knotwork" and c.is_slow for c in block.commands)


def play(block, folder, monkeypatch, capsys):
    """Run a session; the statuses must be those that its comments promise."""
    for file in Page(block.page).blocks:
        if file.file is not None:
            (folder / file.file).write_text(file.text)
    monkeypatch.chdir(folder)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in block.commands:
        program, *words = command.words
        if program == "make":
            assert words[0] in targets
            continue
        assert program == "knotwork", f"{block}: {program} is not run by this test"
        if words[0] == "monitor":  # there is no board here
            monitor.make_context("monitor", words[1:])
            continue
        if words[0] == "studio":  # nobody ends it
            studio.make_context("studio", words[1:])
            continue
        capsys.readouterr()
        assert run(words) == command.status, f"{block}: {shlex.join(words)}"
        if command.output is not None:
            (folder / command.output).write_text(capsys.readouterr().out)


@pytest.mark.parametrize("block", [b for b in SESSIONS if not is_slow(b)], ids=str)
def test_session_runs(block, tmp_path, monkeypatch, capsys):
    play(block, tmp_path, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", [b for b in SESSIONS if is_slow(b)], ids=str)
def test_long_session_runs(block, tmp_path, monkeypatch, capsys):
    play(block, tmp_path, monkeypatch, capsys)


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
        play(block, tmp_path, monkeypatch, capsys)


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
        assert any(key.startswith(f"{table.partition(']')[0]}.") for key in system.told), table


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
    assert run(["generate", *words, "-o", str(folder)]) == 0
    name = Network.from_words(words).name
    (top,) = re.findall(r"^module (\w+)", block.text, re.MULTILINE)
    (folder / f"{top}.v").write_text(block.text)
    return [folder / f"{name}.v", folder / f"{top}.v"], folder / f"{name}.vlt", top


@verilog
def test_verilator_warns_of_nothing(block, tmp_path):
    (network, file), waivers, top = design(block, tmp_path)
    assert lint(file, waivers, top=top, options=[str(network)]) == ""
    file.write_text(re.sub(r"\.rst\(rst\)", ".rst()", block.text))
    assert "PINCONNECTEMPTY" in lint(file, waivers, top=top, options=[str(network)])


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed")
@verilog
def test_icarus_warns_of_nothing(block, tmp_path):
    files, _, _ = design(block, tmp_path)
    command = ["iverilog", "-g2012", "-Wall", "-o", str(tmp_path / "out"), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    files[1].write_text(re.sub(r"\.rst\(rst\)", ".rst()", block.text))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "dangling input port" in done.stderr


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.of("python")], ids=lambda p: p.path
)
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
    # Two hops at one cycle each and one to leave: number k is at node 3 in cycle k + 3.
    assert seen[3:] == list(range(17))


def test_blocks_are_of_kinds_that_are_run():
    languages = {block.language for page in PAGES for block in page.blocks}
    assert languages <= {"sh", "toml", "json", "python", "py", "verilog", "csv", "text", ""}
    programs = [block.file for page in PAGES for block in page.of("py")]
    assert programs == ["circulant_script.py"]  # run by tests/own/test_script.py
