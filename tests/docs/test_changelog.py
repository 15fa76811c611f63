"""The list of changes: by version, and its note on what to change when one moves to the newest."""

import re
import tomllib

import pytest
from helpers.pages import ROOT, Page
from knotwork import Moebius, Network
from knotwork.emit.manifest import manifest
from knotwork.errors import ConfigurationError

CHANGES = Page("CHANGELOG.md").text
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_newest_version_is_that_of_the_project_and_of_its_citation():
    unreleased, newest, *older = re.findall(r"^## \[(.*)\](.*)$", CHANGES, re.MULTILINE)
    assert unreleased == ("Unreleased", "")
    assert newest[0] == VERSION
    assert re.fullmatch(r" - \d{4}-\d\d-\d\d", newest[1])
    assert [name for name, _ in older] == ["0.1.0"]
    cited = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == [VERSION]


def test_what_the_migration_names_is_there():
    note = CHANGES.partition("### Migration from 0.1\n")[2].partition("\n### ")[0]
    network = Network(Moebius(n=3), data_width=16)
    assert f"`{network.name}`" in note
    facts = manifest(network)
    for name in re.findall(r"`((?:clock|reset)\.\w+)`", note):
        first, second = name.split(".")
        assert facts[first][second] in {"clk", "rst"}
    for key, value in re.findall(r"`(virtual_channels|allow_deadlock)=(\d|False)`", note):
        assert str(getattr(network.hardware, key)) == value
    with pytest.raises(ConfigurationError, match="buffer_depth must be at least 4 with pipeline=2"):
        Network(Moebius(n=3), pipeline=2, virtual_channels=2, buffer_depth=3)
