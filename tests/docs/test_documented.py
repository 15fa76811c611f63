"""Every verb, key, exported name and field of an answer has its place on a page, or is missed."""

import re
import runpy

import pytest
from helpers.pages import ROOT
from helpers.random_links import RandomLinks

DOCUMENTED = runpy.run_path(str(ROOT / ".docs" / "documented.py"))
PAGES = DOCUMENTED["pages"]()


def test_nothing_is_left_out_and_what_has_no_docstring_is_missed(monkeypatch):
    assert DOCUMENTED["undocumented"]() == []
    monkeypatch.setattr("knotwork_sim.simulate.__doc__", None)
    assert DOCUMENTED["missing_docstrings"]() == ["knotwork_sim.simulate has no docstring"]


def without(pattern):
    """Pages that do not have what a pattern finds."""
    return {path: re.sub(pattern, "", text) for path, text in PAGES.items()}


def test_verbs_without_a_page_or_a_section_are_missed():
    missing = DOCUMENTED["missing_verbs"](without(r"knotwork survive"))
    assert missing == ["no page shows the verb survive"]
    missing = DOCUMENTED["missing_answers"](without(r"`(?:doctor|draw)`"))
    assert missing == [f"hdl/docs/json.md has no section of {verb}" for verb in ("doctor", "draw")]


@pytest.mark.parametrize(
    "key", ["buffer_depth", "petersen_code", "class_rates", "clock_mhz", "side"]
)
def test_a_key_that_no_page_names_is_missed(key):
    assert key in DOCUMENTED["keys"]()
    missing = DOCUMENTED["missing_keys"](without(rf"\b{key}\b"))
    assert missing == [f"no page names the key {key}"]


@pytest.mark.parametrize(
    ("field", "verbs"), [("header_bits", ["broadcast"]), ("simple_links", ["describe", "compare"])]
)
def test_a_field_that_no_page_explains_is_missed(field, verbs):
    missing = DOCUMENTED["missing_fields"](without(rf"`{field}`(?!, per)"))
    assert missing == [
        f"hdl/docs/json.md does not tell of {verb} the field {field}" for verb in verbs
    ]


LONG = {
    "simulate": [
        "simulate hypercube n=2 packets=20 reply=1 --engine model",
        "simulate hypercube n=2 packets=20 classes=2 virtual_channels=2 pipeline=2 --engine model",
        "simulate lcan d=2 u=2 levels=2 traffic=permutation permutation=random --repeat 2 "
        "--engine model",
        "simulate ring n=4 collectives=yes traffic=barrier --engine model",
    ],
    "collective": ["collective mesh x=2 y=2 barrier --against unicast"],
    "sweep": ["sweep hypercube n=2 --rates 0.1:0.3:0.2"],
    "survive": ["survive mesh x=3 y=3 --dead 1"],
    "search": ["search --nodes 8 --degree 3 --effort 1"],
    "verify": ["verify lcan d=2 u=2 levels=1 --router router"],
    "bitstream": [
        "bitstream hypercube n=1 data_width=8 buffer_depth=2 clock_mhz=board --board icebreaker"
    ],
    "monitor": [
        "monitor simulated hypercube n=1 data_width=16 buffer_depth=2 --windows 2",
        "monitor simulated hypercube n=1 data_width=16 --rate 0.2 --cycles 500 --windows 1",
    ],
}
"""Command lines that compile a model or Verilog, build, or prove."""


@pytest.mark.slow
def test_fields_of_long_answers_are_on_their_pages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert DOCUMENTED["missing_fields"](PAGES, LONG) == []
    gaps = DOCUMENTED["missing_fields"](without("`p999`"), {"simulate": LONG["simulate"]})
    assert gaps == ["hdl/docs/json.md does not tell of simulate the field p999"]


def test_fields_and_keys_are_those_of_answers_and_of_shipped_networks():
    fields = DOCUMENTED["sections"](PAGES)
    assert "parent" in fields["broadcast"]
    assert "parent" not in fields["check"]
    assert {"deadlock_free", "cycle"} <= fields["check"]
    answer = {"parameters": {"n": 3}, "walks": {"dfr": {"mean": 1}}, "paths": [[{"to": 1}]]}
    assert list(DOCUMENTED["fields"](answer)) == ["parameters", "walks", "mean", "paths", "to"]
    assert "one_way" in set(RandomLinks.keys())
    assert "one_way" not in DOCUMENTED["keys"]()


def test_each_gap_is_a_warning_of_the_site(monkeypatch):
    """Sphinx ends with an error at any warning (`--fail-on-warning`)."""
    told = []
    conf = runpy.run_path(str(ROOT / ".docs" / "conf.py"))
    monkeypatch.setattr("runpy.run_path", lambda _: {"undocumented": lambda: ["a gap", "another"]})
    monkeypatch.setattr(
        "sphinx.util.logging.SphinxLoggerAdapter.warning", lambda _, gap: told.append(gap)
    )
    conf["warn_of_gaps"](None)
    assert told == ["a gap", "another"]
