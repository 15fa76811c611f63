"""Problems for a solver, and facts for others' use, of a small module."""

from helpers.counter import VERILOG, harness
from knotwork.formal.problems import FACTS, facts_rtlil, write_problems
from knotwork.formal.property import Property


def below(name, limit, **more):
    return Property(
        name=name, text=name, claim=lambda it: it.claim(it.port("count") < limit), **more
    )


def test_each_property_has_a_problem_of_its_own(tmp_path):
    one = below("six", 6)
    other = below("seven", 7, lemmas=(one,))
    write_problems(tmp_path, "counter", VERILOG, harness, [one, other])
    alone, resting = ((tmp_path / f"{name}.smt2").read_text() for name in ("six", "seven"))
    assert alone.count("yosys-smt2-assert ") == resting.count("yosys-smt2-assert ") == 1
    # A lemma is assumed.
    assert alone.count("yosys-smt2-assume ") + 1 == resting.count("yosys-smt2-assume ")


def test_facts_are_assumptions_of_the_module_with_its_ports():
    text = facts_rtlil("counter", VERILOG, harness(), [below("six", 6), below("seven", 7)])
    assert f"module \\{FACTS}\n" in text
    assert text.count("cell $assume") == 2
    assert "cell $assert" not in text
    for name in ("clk", "rst", "step", "count", "wrapped"):
        assert f"\\{name}\n" in text
