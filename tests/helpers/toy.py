"""Modules small enough that anything can be proven of them, and all of their states visited."""

from itertools import product
from pathlib import Path

from knotwork.formal.harness import Harness
from quality.mutation.netlist import Gates

COUNTER_VERILOG = """
module counter(input clk, input rst, input step, output [2:0] count, output wrapped);
  reg [2:0] kept = 0;
  always @(posedge clk) if (rst) kept <= 0; else if (step) kept <= kept == 5 ? 0 : kept + 1;
  assign count = kept;
  assign wrapped = kept > 5;
endmodule
"""


def harness():
    """Harness of the counter."""
    return Harness("counter", {"step": 1}, {"count": 3, "wrapped": 1})


NAME = "toy"
VERILOG, STAGED = (
    Path(__file__).with_name("verilog").joinpath(f"{name}.v").read_text()
    for name in ("toy", "staged_toy")
)
"""The module, and another one whose registers are in a stage."""


def clock(netlist, states, inputs, mutant=0):
    """Outputs of one cycle, and the states after it: plain evaluation, gate by gate."""
    bits = [bit for port in netlist.inputs.values() for bit in port]
    given = dict(zip(bits, inputs, strict=True))
    outputs, registers, _ = netlist.evaluate(Gates(), given, states, mutant)
    return outputs, registers


def start(netlist):
    """State after a reset, which is the same from every state."""
    names = [name for name, bits in netlist.inputs.items() for _ in bits]
    reset = [int(name == "rst") for name in names]
    found = {
        tuple(clock(netlist, states, reset)[1])
        for states in product((0, 1), repeat=len(netlist.registers))
    }
    (state,) = found
    return state


def all_inputs(netlist):
    return list(product((0, 1), repeat=sum(map(len, netlist.inputs.values()))))


def reachable(netlist):
    """Every state to which some inputs lead."""
    seen, waiting = {start(netlist)}, [start(netlist)]
    while waiting:
        states = waiting.pop()
        for inputs in all_inputs(netlist):
            after = tuple(clock(netlist, states, inputs)[1])
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen


def shows(netlist, mutant):
    """Whether some inputs ever make a mutant's outputs differ: both are visited together.

    Both are reset in the same state, which may be any. Outputs during a reset are not compared.
    """
    names = [name for name, bits in netlist.inputs.items() for _ in bits]
    reset = [int(name == "rst") for name in names]
    seen = {
        tuple(tuple(clock(netlist, states, reset, which)[1]) for which in (0, mutant))
        for states in product((0, 1), repeat=len(netlist.registers))
    }
    waiting = list(seen)
    while waiting:
        one, other = waiting.pop()
        for inputs in all_inputs(netlist):
            outputs, after = clock(netlist, one, inputs)
            outputs_there, after_there = clock(netlist, other, inputs, mutant)
            if outputs != outputs_there and not inputs[names.index("rst")]:
                return True
            pair = tuple(after), tuple(after_there)
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return False
