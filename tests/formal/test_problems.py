"""Problems for a solver, and facts for others' use, of a small module."""

import re

import pytest
from helpers.counter import VERILOG, harness
from knotwork.formal import prover
from knotwork.formal.property import Property
from knotwork.formal.prover import FACTS, facts_rtlil, write_problems


def below(name, limit, **more):
    return Property(
        name=name, text=name, claim=lambda it: it.claim(it.port("count") < limit), **more
    )


def test_a_memory_whose_first_words_are_not_found_is_no_proof(monkeypatch, tmp_path):
    """Yosys might write them in another form: all would then begin with its words at power-up."""
    memory = VERILOG.replace(
        "endmodule",
        "reg [1:0] ram [0:3]; initial ram[0] = 0; initial ram[1] = 0; initial ram[2] = 0;"
        "initial ram[3] = 0; always @(posedge clk) ram[count[1:0]] <= 1;"
        "wire [1:0] word = ram[0]; endmodule",
    )
    claim = Property(name="word", text="word", claim=lambda it: it.claim(it.inside("word", 2) < 2))
    write_problems(tmp_path, "counter", memory, harness, [claim])
    monkeypatch.setattr(prover, "_FIRST_WORD", re.compile("^no such line$", re.M))
    with pytest.raises(AssertionError, match="first words of"):
        write_problems(tmp_path, "counter", memory, harness, [claim])


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
