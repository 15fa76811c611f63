import pytest
from house.sources import Module
from house.wording import TWICE, compared, guessed_names, odd_english, probed, twice


@pytest.mark.parametrize(
    "source",
    [
        'if network.router_class == "circuit": pass',
        'found = "packet" != name',
        'if name in ("packet", "batch"): pass',
        'match name:\n    case "circuit": pass',
    ],
)
def test_a_comparison_with_a_router_class_is_found(source):
    (line,) = compared(Module("m", source), {"packet", "circuit", "batch"})
    assert line.startswith("m:")
    assert compared(Module("m", source), {"deflection"}) == []


def test_a_registry_may_be_looked_up_by_name():
    source = 'ROUTERS = {"packet": 1}\nROUTERS["packet"]\nif name == "linear": pass'
    assert compared(Module("m", source), {"packet"}) == []


@pytest.mark.parametrize(
    "source",
    [
        'getattr(network.hardware, "parity", "no")',
        'getattr(self.options, "multicast", "no")',
        'hasattr(routing, "chain_limit")',
    ],
)
def test_a_probe_of_a_typed_object_is_found(source):
    (line,) = probed(Module("m", source))
    assert line == f"m:1 probes {source.replace(chr(34), chr(39))}"


def test_other_questions_may_be_asked():
    source = 'getattr(network.hardware, name)\ngetattr(router, "pin", None)\nhasattr(dut, "rst")'
    assert probed(Module("m", source)) == []


def test_a_name_that_a_reader_must_guess_is_found():
    source = """
TOLD_APART, kept = 1, 2
class Remade:
    asked: int
    def report(self, whole, *, depth): ...
    def _tell(self): ...
def hears_room(): ...
def flask(): ...
class _Told:
    asks: int
"""
    module = Module("home.lone_ports", source)
    assert [line.rpartition(" ")[2] for line in guessed_names(module)] == [
        "home.lone_ports",
        "TOLD_APART",
        "Remade",
        "asked",
        "whole",
        "_tell",
        "hears_room",
        "_Told",
    ]


def test_odd_english_is_found():
    odd = ["one flit " + "a clock", "two bits " + "a node", "loops that are " + "none"]
    assert odd_english("p.md", "\n".join(["# Page", *odd])) == [
        f"p.md:{number}: {phrase}"
        for number, phrase in enumerate(
            ["flit a " + "clock", "bits a " + "node", "that are " + "none"], 2
        )
    ]
    assert odd_english("p.md", "one flit per cycle; a packet at a node; words about a node") == []


def test_lines_that_stand_twice_are_found_whatever_their_indent_and_comments():
    block = [f"a{number} = {number}" for number in range(TWICE)]
    one = "import os\n" + "\n".join(block)
    other = "def f():\n    # why\n    '''Text.'''\n" + "\n\n".join(f"    {line}" for line in block)
    first = Module("m", one)
    assert twice([first, Module("n", other)]) == {("m", "n"): "m:2 and n:4"}
    assert twice([first, Module("n", "\n".join(block[:-1]))]) == {}
    assert list(twice([Module("m", one + "\n" + "\n".join(block))])) == [("m", "m")]
