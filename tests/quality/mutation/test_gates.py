import pytest
from helpers.toy import NAME, all_inputs, clock, start
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from quality.mutation.gates import (
    FALSE,
    TRUE,
    Gates,
    make_circuit,
    make_known_circuit,
    make_network_circuit,
    read_circuit,
)
from quality.mutation.netlist import list_mutants, module_verilog


def test_gates_fold_constants_and_know_each_other():
    gates = Gates()
    a, b = gates.free(), gates.free()
    assert gates.both(a, TRUE) == gates.both(a, a) == a
    assert gates.both(a, FALSE) == gates.both(a, a ^ 1) == FALSE
    assert gates.both(a, b) == gates.both(b, a) != a
    assert gates.either(a, TRUE) == TRUE
    assert gates.choice(TRUE, a, b) == gates.choice(b, a, a) == a
    assert gates.differ(a, a) == FALSE
    assert gates.differ(a, a ^ 1) == TRUE


@given(a=st.booleans(), b=st.booleans(), select=st.booleans())
def test_gates_of_constants_are_the_functions(a, b, select):
    gates = Gates()
    assert gates.both(a, b) == (a and b)
    assert gates.either(a, b) == (a or b)
    assert gates.differ(a, b) == (a != b)
    assert gates.choice(select, a, b) == (a if select else b)


def literal_toy(ring, kept, a, b, rst):
    """Outputs and next state of the toy, written down from its Verilog."""
    outputs = {"y": [kept], "z": [ring[1]], "sum": [a ^ b, a & b]}
    if rst:
        return outputs, ([1, 0], 0)
    return outputs, (ring[::-1] if a else ring, a ^ b)


def test_a_circuit_does_what_its_verilog_says(circuit):
    states, ring, kept = start(circuit), [1, 0], 0
    names = [name for name, bits in circuit.inputs.items() for _ in bits]
    assert sorted(names) == ["a", "b", "rst"]
    sequence = all_inputs(circuit) * 3
    for inputs in sequence[::3] + sequence[::-1] + sequence[1::5]:
        given = dict(zip(names, inputs, strict=True))
        expected, (ring, kept) = literal_toy(ring, kept, **given)
        outputs, states = clock(circuit, states, inputs)
        assert outputs == [bit for port in circuit.outputs for bit in expected[port]]


def test_a_mutant_acts_where_its_number_is_chosen(circuit, mutants):
    acting, first = 0, start(circuit)
    expected = [clock(circuit, first, inputs) for inputs in all_inputs(circuit)]
    for mutant in mutants:
        found = [clock(circuit, first, inputs, mutant.number) for inputs in all_inputs(circuit)]
        acting += found != expected
    assert acting > len(mutants) / 2


def test_registers_have_the_names_of_the_source_and_their_values_after_a_reset(circuit):
    names = [circuit.name(register) for register in range(len(circuit.registers))]
    first = dict(zip(names, start(circuit), strict=True))
    assert len(first) == 4
    known = {name: value for name, value in first.items() if not name.startswith("$")}
    assert known.items() <= {"ring[0]": 1, "ring[1]": 0, "kept[0]": 0, "unread[0]": 0}.items()
    assert sum(start(circuit)) == 1


def test_a_loop_of_gates_is_refused():
    looped = "module toy(input clk, input a, output y); wire x = a & ~x; assign y = x; endmodule"
    with pytest.raises(ValueError, match=r"^a module's gates must have no loop$"):
        make_circuit(looped, NAME, [])


def test_a_bit_that_nothing_drives_has_any_value():
    ports = {"rst": ("input", [2]), "a": ("input", [3]), "y": ("output", [5])}
    cells = {"and": {"type": "$_AND_", "connections": {"A": [3], "B": [4], "Y": [5]}}}
    circuit = read_circuit(
        {
            "ports": {
                name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()
            },
            "cells": cells,
            "netnames": {},
        }
    )
    gates = Gates()
    seen = [circuit.evaluate(gates, {2: FALSE, 3: TRUE}, []).outputs[0] for _ in range(2)]
    assert len({*seen, TRUE, FALSE}) == 4
    assert circuit.evaluate(gates, {2: FALSE, 3: FALSE}, []).outputs == [FALSE]


def test_a_cell_that_is_no_gate_is_refused():
    text = "module toy(input clk, input rst, input a, output y); missing m(.a(a), .q(y)); endmodule"
    with pytest.raises(ValueError, match=r"^a cell must be a gate or a register, not missing$"):
        make_circuit(text, NAME, [])


def test_what_is_assumed_of_a_module_is_a_fact_of_its_circuit():
    ports = {"rst": ("input", [2]), "a": ("input", [3]), "y": ("output", [3])}
    circuit = read_circuit(
        {
            "ports": {
                name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()
            },
            "cells": {"known": {"type": "$assume", "connections": {"A": [3], "EN": [4]}}},
            "netnames": {},
        }
    )
    gates = Gates()
    assert circuit.evaluate(gates, {2: FALSE, 3: TRUE}, []).facts == [TRUE]
    (fact,) = circuit.evaluate(gates, {2: FALSE, 3: FALSE}, []).facts
    assert fact not in {FALSE, TRUE}  # unless EN is high, which nothing drives


def test_a_router_with_what_is_known_has_the_ports_and_registers_of_the_router():
    network = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2")
    name = network.router_kinds[0].name
    plain = make_circuit(module_verilog(network, name), name, [])
    known = make_known_circuit(network, name)
    for ports in ("inputs", "outputs"):
        widths = [
            {name: len(bits) for name, bits in getattr(circuit, ports).items()}
            for circuit in (plain, known)
        ]
        assert widths[0] == widths[1]
    assert not plain.facts
    assert len(known.facts) > 50
    names = {name.removeprefix("router.") for names in known.names for name in names}
    assert all(names.intersection(ones) for ones in plain.names)


def test_a_network_has_the_registers_of_its_routers_and_the_ports_of_its_nodes():
    network = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2")
    name = network.router_kinds[0].name
    alone = module_verilog(network, name)
    mutants = list_mutants(alone, name, count=3)
    router = make_circuit(alone, name, mutants)
    whole = make_network_circuit(network, name, mutants)
    assert len(router.registers) < len(whole.registers) <= 2 * len(router.registers)
    assert {"s_axis_0_tdata", "s_axis_1_tdata"} <= set(whole.inputs)
    assert {"m_axis_0_tdata", "refused_1"} <= set(whole.outputs)
    assert len(whole.chooser) == 2
