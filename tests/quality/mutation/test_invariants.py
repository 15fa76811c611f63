import numpy as np
from helpers.toy import reachable, start
from hypothesis import given
from hypothesis import strategies as st
from quality.mutation.invariants import Cnf, candidates, find_invariants, proven, simulate
from quality.mutation.netlist import Gates, make_netlist


def holds(clause, states):
    return any(states[abs(part) - 1] == (part > 0) for part in clause)


def test_random_runs_visit_every_state(netlist):
    samples = simulate(netlist, cycles=100)
    bits = samples[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    seen = {tuple(column) for column in bits.reshape(len(samples), -1).T.tolist()}
    assert seen == reachable(netlist)


def test_what_is_proven_holds_in_every_state_and_says_that_the_ring_is_one_hot(netlist):
    found = find_invariants(netlist)
    states = reachable(netlist)
    assert all(holds(clause, state) for clause in found for state in states)
    pairs = [clause for clause in found if len(clause) == 2]
    rings = [clause for clause in pairs if (-clause[0], -clause[1]) in pairs]
    assert len(rings) == 2  # one of them, and not both


def test_what_does_not_always_hold_is_not_proven_though_it_holds_at_first(netlist):
    false = [(-(place + 1),) for place, value in enumerate(start(netlist)) if not value]
    kept = proven(netlist, false)
    states = reachable(netlist)
    assert all(holds(clause, state) for clause in kept for state in states)
    assert len(kept) < len(false)


def test_a_memory_has_what_was_written_since_power_on_whatever_is_reset():
    """Only the upper bits of its two words are ever written."""
    text = """
module memory(input clk, input rst, input d, input at, output [1:0] q);
  reg [1:0] words [0:1];
  reg full = 0;
  initial begin words[0] = 2'b01; words[1] = 2'b00; end
  always @(posedge clk) begin
    if (d) words[at] <= {d, words[at][0]};
    full <= ~rst;
  end
  assign q = words[at] & {2{full}};
endmodule
"""
    netlist = make_netlist(text, "memory", [])
    found = {netlist.name(abs(one) - 1): one > 0 for (one,) in find_invariants(netlist)}
    assert found == {"words[0][0]": True, "words[1][0]": False}


def test_candidates_are_what_no_sample_breaks():
    samples = np.array([[0b0011], [0b0101], [0b0111], [0]], np.uint64) | np.uint64(1 << 20)
    samples[3] = 0
    found = candidates(samples)
    assert (-4,) in found
    assert (-1, 3) in found  # where the first is 1, so is the third
    assert (-2, 3) in found
    assert not any({abs(part) for part in clause} == {1, 2} for clause in found)
    assert all(4 not in map(abs, clause) for clause in found if len(clause) == 2)
    parted = candidates(samples, ["a", "b", "b", "b"])
    assert (-2, 3) in parted
    assert (-1, 3) not in parted


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12), st.data())
def test_a_solver_finds_what_trying_finds(pairs, data):
    """Random graphs over three inputs, against all eight of their values."""
    gates = Gates()
    literals = [0, *(gates.free() for _ in range(3))]
    inputs = literals[1:]
    tables = {
        0: 0,
        **{i: sum(1 << v for v in range(8) if v >> n & 1) for n, i in enumerate(inputs)},
    }

    def table(literal):
        return tables[literal & ~1] ^ (255 if literal & 1 else 0)

    for a, b in pairs:
        x = literals[a // 2 % len(literals)] ^ a & 1
        y = literals[b // 2 % len(literals)] ^ b & 1
        out = gates.both(x, y)
        tables.setdefault(out & ~1, table(x) & table(y) ^ (255 if out & 1 else 0))
        assert table(out) == table(x) & table(y)
        literals.append(out)
    asked = data.draw(st.lists(st.sampled_from(literals), max_size=3))
    cnf = Cnf(gates)
    every = 255
    for literal in asked:
        every &= table(literal)
    assert cnf.satisfiable([cnf.literal(literal) for literal in asked]) == (every != 0)


def test_what_is_not_found_out_in_time_is_perhaps_so(monkeypatch):
    gates = Gates()
    a, b = gates.free(), gates.free()
    both, differ = gates.both(a, b), gates.differ(a, b)
    cnf = Cnf(gates)
    asked = [cnf.literal(both), cnf.literal(differ)]
    assert not cnf.perhaps(asked)
    assert cnf.perhaps(asked[1:])
    monkeypatch.setattr(cnf.solver, "solve_limited", lambda **_: None)  # as after its conflicts
    assert cnf.perhaps(asked)
