import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from knotwork.builds import compilation
from knotwork.builds.compilation import MADE, compile_steps, compiled, digest, keep_library, library
from knotwork.builds.folders import WORK_PREFIX, sweep
from knotwork.errors import ToolError

# What stands for Verilator, and for Make: it uses the library's object if there is one.
VERILATE = ["sh", "-c", f"cp source.v {MADE}/classes; echo said"]
MAKE = [
    "sh",
    "-c",
    f"""
cd {MADE}
[ -e verilated.o ] || echo compiled > verilated.o
{{ echo "#!/bin/sh"; echo "cat <<end"; cat classes verilated.o; echo end; }} > program
chmod +x program
""",
]


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """Empty folder of compiled programs."""
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    return tmp_path / "verilator"


def build(text="text\n", *, verilate=VERILATE, make=MAKE, name="name"):
    """Compile the program by the two stand-ins, and tell what it prints and where it is."""

    def make_it(folder):
        compile_steps(folder, verilate, make, "kind")

    folder = compiled(name, {"source.v": text}, "program", make_it)
    return subprocess.run([folder / "program"], capture_output=True, text=True, check=True).stdout


def refuse():
    """Stand-in for a tool that must not run."""
    return ["sh", "-c", "echo must not run; exit 1"]


def test_a_program_is_compiled_once_and_only_it_is_kept(cache):
    assert build() == "text\ncompiled\n"
    assert build(make=refuse()) == "text\ncompiled\n"
    kept = {path.name for path in (cache / "name").iterdir()}
    assert kept == {"source.v", "program", "build.log", "commands.log", "contents.json"}
    assert (cache / "name" / "build.log").read_text() == "said\n"
    assert not list(cache.glob(f"{WORK_PREFIX}*"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda program: program.unlink(),
        lambda program: program.write_bytes(program.read_bytes()[:-9]),
        lambda program: program.chmod(0o644),
        lambda program: (program.parent / "source.v").unlink(),
    ],
    ids=["missing", "truncated", "does not run", "without its source"],
)
def test_a_damaged_program_is_compiled_again(cache, damage):
    build()
    damage(cache / "name" / "program")
    with pytest.raises(ToolError, match="must not run"):
        build(make=refuse())
    assert build() == "text\ncompiled\n"


def test_a_failed_build_keeps_its_log_until_one_succeeds(cache):
    with pytest.raises(ToolError) as failed:
        build(make=["sh", "-c", "echo; echo an error there; exit 2"])
    log = cache / "failed" / "name.log"
    assert str(failed.value) == f"Verilator must finish, but failed: an error there; see {log}"
    assert log.read_text() == "said\n\nan error there\n"
    assert {path.name for path in cache.iterdir()} == {"failed"}
    build()
    assert not log.exists()


def test_a_failed_assertion_comes_with_its_message(tmp_path):
    log = tmp_path / "simulation.log"
    said = "[55000] %Error: toy.v:7: Assertion failed in toy: 'assert' failed."
    log.write_text(
        f"before\ntoy: count must be [below] 5\n{said}\n%Error: toy.v:7: Verilog $stop\n"
    )
    assert str(compilation.failure("the simulation", log, "")) == (
        f"the simulation must finish, but failed: toy: count must be [below] 5 {said}; see {log}"
    )
    log.write_text(f"{said}\n")
    assert f"failed: {said}; see" in str(compilation.failure("the simulation", log, ""))


def test_builds_without_a_program_or_a_tool_are_reported():
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: said; see "):
        build(make=["true"])
    with pytest.raises(ToolError, match=r"No such file or directory: 'no-such-make'; see "):
        build(verilate=["true"], make=["no-such-make"])


def test_verilators_library_is_compiled_once_and_a_damaged_object_again(cache):
    build()
    build(name="other", make=["sh", "-c", MAKE[2].replace("compiled", "again")])
    (kept,) = library("kind").iterdir()
    assert kept.read_text() == "compiled\n"
    kept.write_text("compil")
    assert build(name="third", make=["sh", "-c", MAKE[2].replace("compiled", "again")]) == (
        "text\nagain\n"
    )
    (kept,) = library("kind").iterdir()
    assert kept.read_text() == "again\n"


def test_an_object_that_the_library_lacks_is_added(cache, tmp_path):
    (tmp_path / "verilated.o").write_text("a")
    keep_library(tmp_path, "kind")
    (tmp_path / "verilated.o").write_text("b")
    (tmp_path / "verilated_cov.o").write_text("c")
    keep_library(tmp_path, "kind")
    (tmp_path / "verilator.o").write_text("d")  # knows the size of a model
    (tmp_path / "testbench.o").write_text("e")
    keep_library(tmp_path, "kind")
    assert sorted(path.read_text() for path in library("kind").iterdir()) == ["a", "c"]


@pytest.mark.parametrize(("size", "words"), [(1000, "VM_PARALLEL_BUILDS=0"), (1001, "")])
def test_little_cpp_is_compiled_as_one_file(monkeypatch, size, words):
    monkeypatch.setattr(compilation, "ONE_FILE", 1000)
    verilate = [*VERILATE[:2], f"{VERILATE[2]}; head -c {size} /dev/zero > {MADE}/one.cpp"]
    make = [*MAKE[:2], MAKE[2].replace("echo compiled", 'echo "$*"'), "make"]
    assert build(verilate=verilate, make=make) == f"text\n{words}\n"


def test_a_compilers_temporary_files_go_with_the_build(cache):
    build(verilate=["sh", "-c", f'test -d "$TMPDIR"; touch "$TMPDIR/cc.s" {MADE}/classes'])
    assert not list(cache.rglob("cc.s"))


def test_another_compiler_is_another_program(monkeypatch, tmp_path):
    before = digest("x")
    (tmp_path / "c++").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert digest("x") != before


SIMULATE = "import sys; from knotwork.cli.entry import main; sys.argv[0] = 'knotwork'; main()"
WORDS = "simulate hypercube n=3 buffer_depth=2 packets=100 rate=0.05 --engine rtl --json"


def simulate(folder):
    """`knotwork simulate` in a folder, begun."""
    command = [sys.executable, "-c", SIMULATE, *WORDS.split()]
    pipe = subprocess.PIPE
    variables = os.environ | {"KNOTWORK_CACHE": str(folder / "cache")}
    return subprocess.Popen(command, cwd=folder, env=variables, stdout=pipe, stderr=pipe, text=True)


def assert_delivered(process):
    said, complained = process.communicate(timeout=1800)
    assert process.returncode == 0, complained
    assert json.loads(said)["delivered"] == 100


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_eight_commands_on_one_folder_all_work_and_after_any_kills_too(tmp_path):
    for process in [simulate(tmp_path) for _ in range(8)]:
        assert_delivered(process)
    models = tmp_path / "cache" / "verilator"
    dice, began = random.Random(1), time.monotonic()
    shutil.rmtree(models)
    assert_delivered(simulate(tmp_path))
    takes = time.monotonic() - began
    shutil.rmtree(models)
    for number in (signal.SIGINT, signal.SIGKILL) * 10:
        process = simulate(tmp_path)
        time.sleep(dice.uniform(0, takes))
        process.send_signal(number)
        process.communicate(timeout=60)
    assert_delivered(simulate(tmp_path))
    sweep(models, older_than=0)
    assert not list(models.glob(f"{WORK_PREFIX}*"))
