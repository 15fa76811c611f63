"""Every page is true: its commands and examples run, its links lead somewhere, its pictures fit.

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
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from knotwork.cli.main import run
from knotwork.network import Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork_boards.commands import monitor
from knotwork_sim.rtl.verilator import lint
from knotwork_sim.traffic.keys import Traffic

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w*)(?: ([\w.]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SLOW_VERBS = {"simulate", "bitstream", "verify"}


@dataclass(frozen=True)
class Command:
    """Line of a session, and how it is to end."""

    words: list[str]
    comment: str
    output: str | None = None

    @classmethod
    def parse(cls, line):
        """Command that a line spells; two blanks and a # begin its comment."""
        text, _, comment = line.partition("  #")
        text, _, output = text.partition(" > ")
        return cls(shlex.split(text), comment, output.strip() or None)

    @property
    def status(self):
        """Exit status that the comment promises."""
        found = re.search(r"\(exit status (\d)\)", self.comment)
        return int(found[1]) if found else 0

    @property
    def is_slow(self):
        """Whether it is no work for `make test`."""
        return self.words[1] in SLOW_VERBS or "minute" in self.comment


@dataclass(frozen=True)
class Block:
    """Fenced block of a page."""

    page: str
    line: int
    language: str
    file: str | None
    text: str

    @property
    def commands(self):
        """Commands of a session."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [Command.parse(line) for line in lines if line.strip()]

    def __str__(self):
        """Place, for the name of a test."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Page:
    """Page of the project, by its path from the root."""

    path: str

    @cached_property
    def text(self):
        """All of it."""
        return (ROOT / self.path).read_text()

    @cached_property
    def prose(self):
        """What is in no block."""
        return FENCE.sub("", self.text)

    @cached_property
    def blocks(self):
        """Blocks in order."""
        return [
            Block(self.path, self.text.count("\n", 0, found.start()) + 1, *found.groups())
            for found in FENCE.finditer(self.text)
        ]

    def of(self, language):
        """Blocks in a language."""
        return [block for block in self.blocks if block.language == language]


SUBJECTS = [
    Page(str(path.relative_to(ROOT)))
    for folder in ("hdl/docs", "sim/docs", "boards/docs")
    for path in sorted((ROOT / folder).glob("*.md"))
]
OTHERS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "build/README.md"]
PAGES = [*map(Page, [*OTHERS, "tests/quality/README.md"]), *SUBJECTS]
README, CONTRIBUTING = PAGES[:2]
SESSIONS = [block for page in PAGES for block in page.of("sh")]


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
    parameters = Network.from_words([str(file)]).parameters
    written = dict(re.findall(r"^(\w+) = (.*)$", block.text, re.MULTILINE))
    del written["network"]
    assert {key: str(parameters[key]) for key in written} == written


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


@pytest.mark.parametrize("block", [b for page in PAGES for b in page.of("verilog")], ids=str)
def test_verilog_is_clean_but_for_open_pins(block, tmp_path):
    words = generated_before(block)
    assert run(["generate", *words, "-o", str(tmp_path)]) == 0
    name = Network.from_words(words).name
    network = tmp_path / f"{name}.v"
    network.write_text(network.read_text() + block.text)
    (top,) = re.findall(r"^module (\w+)", block.text, re.MULTILINE)
    said = lint(network, tmp_path / f"{name}.vlt", top=top)
    rules = set(re.findall(r"%(?:Warning|Error)-(\w+)", said))
    assert rules <= {"PINMISSING", "PINCONNECTEMPTY"}, said
    assert "%Error:" not in said.replace("%Error: Exiting due to", "")


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
    assert languages <= {"sh", "toml", "python", "verilog", "text", ""}


def slug(heading):
    """Anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def dead_links(page):
    """Links and pictures whose file, or whose heading in it, is not there."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page.path).parent / name if name else ROOT / page.path
        if not path.exists():
            found.append(target)
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
            if anchor not in map(slug, headings):
                found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_a_dead_link_is_caught(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# One, two\n[a](#one-two) [b](#two) [c](gone.md) [d](https://x) [e](a.md)\n")
    assert dead_links(Page(str(page))) == ["#two", "gone.md"]


@pytest.mark.parametrize("page", SUBJECTS, ids=lambda page: page.path)
def test_first_line_is_the_question_that_a_page_answers(page):
    first = page.text.splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith("?")


def test_every_page_is_found_from_the_readme_or_contributing():
    linked = set(re.findall(r"\]\(([^)#\s]+)", README.text + CONTRIBUTING.text))
    assert {page.path for page in SUBJECTS} <= linked


def test_the_readme_is_short():
    assert len(README.text.splitlines()) <= 200


PICTURES = [
    (page, *found)
    for page in PAGES
    for found in re.findall(
        r"!\[[^]]*\]\([./]*\.readme/([^)]*)\)\s+\*`knotwork (\w+) ([^`]*?)\s-o\s[^`]*`", page.text
    )
]


def test_every_picture_says_what_made_it():
    assert len(PICTURES) == sum(page.text.count("![") for page in PAGES) == 3


def test_pictures_are_what_draw_makes(tmp_path):
    for _, name, verb, words in PICTURES:
        if verb == "draw":
            file = tmp_path / name
            assert run(["draw", *shlex.split(words), "-o", str(file)]) == 0
            assert file.read_text() == (ROOT / ".readme" / name).read_text()


def test_figures_have_the_networks_of_their_sweeps():
    """To sweep them again would take minutes."""
    ((_, name, _, words),) = [picture for picture in PICTURES if picture[2] == "sweep"]
    nets = [word for word in words.split() if ":" in word]
    assert len(nets) == 10
    for traffic in ("uniform", "complement", "transpose"):
        figure = (ROOT / ".readme" / name.replace("uniform", traffic)).read_text()
        for net in nets:
            assert (f"<!-- {net}:" in figure) == (traffic != "transpose" or "tcpg" not in net)


def section(page, heading):
    """Text under a heading, up to the next."""
    return re.split(r"^#", page.text.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]


def rows(text):
    """Cells of a table's rows, the head and the rule below it left out."""
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]


def test_networks_of_the_readme_are_those_of_the_registry():
    listed = {}
    for first, routings, *_ in rows(section(README, "Networks")):
        for name in re.findall(r"`(\w+)`", first):
            listed[name] = re.findall(r"`(\w+)`", routings)
    assert listed == {name: list(routings_of(name)) for name in TOPOLOGIES}


@pytest.mark.parametrize("router_class", ["packet", "circuit", "batch", "deflection"])
def test_hardware_keys_are_those_of_the_router_class(router_class):
    networks = Page("hdl/docs/networks.md")
    text = section(networks, f"Hardware keys of {router_class} routers")
    keys = [row[0].strip("`") for row in rows(text)]
    assert keys == list(ROUTER_PARAMETERS[router_class].keys())


def test_traffic_keys_are_those_of_simulate():
    keys = [row[0].strip("`") for row in rows(section(Page("sim/docs/simulate.md"), "Traffic"))]
    assert keys == list(Traffic.keys())
