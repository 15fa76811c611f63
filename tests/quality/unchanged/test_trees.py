"""Trees with a command of a few lines in the place of Knotwork's."""

import pytest
from knotwork.errors import ConfigurationError, ToolError
from quality.unchanged.__main__ import compare
from quality.unchanged.record import NO_NETWORK
from quality.unchanged.trees import Tree, check_out

PYPROJECT = """
[project]
name = "knotwork"
version = "7.5"
[project.scripts]
knotwork = "{module}:main"
[project.entry-points."knotwork.commands"]
describe = "{module}:describe"
"""
COMMAND = """
import json, pathlib, sys
from importlib.metadata import entry_points, version

def main():
    verb, *words = sys.argv[1:]
    if verb == "generate":
        folder = pathlib.Path(words[words.index("-o") + 1])
        folder.mkdir()
        (folder / "net.v").write_text("module net; // {verilog}")
    if verb == "schedule":
        print("never the same words", file=sys.stderr)
        sys.exit(2)
    verbs = [one.name for one in entry_points(group="knotwork.commands")]
    print(json.dumps({{"nodes": 4, "verb": verb, "seconds": {seconds}, "hops": {hops},
                       "version": version("knotwork"), "verbs": verbs}}))
"""


def tree(folder, module, *, verilog="sound", seconds=1.0, hops=3):
    sources = folder / module
    (sources / "hdl").mkdir(parents=True)
    (sources / "pyproject.toml").write_text(PYPROJECT.format(module=module))
    text = COMMAND.format(verilog=verilog, seconds=seconds, hops=hops)
    (sources / "hdl" / f"{module}.py").write_text(text)
    return Tree.at(sources, folder / f"{module}_metadata")


def test_a_tree_is_asked_by_the_command_that_its_own_metadata_names(tmp_path):
    found = tree(tmp_path, "one_cli").record("mesh x=3", "model")
    status, answer = found["answers"]["describe"]
    assert (status, answer["nodes"], answer["version"]) == (0, 4, "7.5")
    assert answer["verbs"] == ["describe"]
    assert list(found["files"]) == ["net.v"]
    assert found["answers"]["schedule random"] == [2, ""]


def test_trees_that_differ_in_times_and_modules_only_are_equal(tmp_path):
    trees = tree(tmp_path, "old_cli"), tree(tmp_path, "new_cli", seconds=2.0)
    found = compare("mesh x=3", trees, "model")
    assert found.different == []
    assert (found.network, found.files, found.answers) == ("mesh x=3", 1, 13)
    assert compare(NO_NETWORK, trees, "model").answers == 3


def test_another_file_or_answer_is_named(tmp_path):
    old = tree(tmp_path, "old_cli")
    assert compare(
        "mesh x=3", (old, tree(tmp_path, "verilog_cli", verilog="changed")), "model"
    ).different == ["net.v"]
    named = compare("mesh x=3", (old, tree(tmp_path, "hops_cli", hops=4)), "model").different
    assert "route --table" in named
    assert "schedule random" not in named


def test_a_tree_that_cannot_answer_is_told(tmp_path):
    broken = tree(tmp_path, "broken_cli")
    (broken.sources / "hdl" / "broken_cli.py").write_text("import nothing_of_the_kind")
    with pytest.raises(ToolError, match="mesh x=3: must answer, not"):
        broken.record("mesh x=3", "model")


def test_the_sources_of_a_revision_are_written(tmp_path):
    check_out("HEAD", tmp_path)
    assert (tmp_path / "hdl" / "knotwork" / "__init__.py").exists()
    assert (tmp_path / "pyproject.toml").exists()
    with pytest.raises(ConfigurationError) as error:
        check_out("no-such-revision", tmp_path)
    assert str(error.value) == (
        "unchanged: the revision must be one of git's, not 'no-such-revision'"
    )
