import pytest
from helpers.toy import NAME, all_inputs, clock, start
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from quality.mutation.mutants import list_mutants, module_verilog
from quality.mutation.netlist import (
    FALSE,
    TRUE,
    Gates,
    make_netlist,
    make_netlist_with_facts,
    make_network_netlist,
    read_netlist,
)

NETWORK = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2")
ROUTER = NETWORK.router_kinds[0].name


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


def test_a_netlist_does_what_its_verilog_says(netlist):
    states, ring, kept = start(netlist), [1, 0], 0
    names = [name for name, bits in netlist.inputs.items() for _ in bits]
    assert sorted(names) == ["a", "b", "rst"]
    sequence = all_inputs(netlist) * 3
    for inputs in sequence[::3] + sequence[::-1] + sequence[1::5]:
        values = dict(zip(names, inputs, strict=True))
        expected, (ring, kept) = literal_toy(ring, kept, **values)
        outputs, states = clock(netlist, states, inputs)
        assert outputs == [bit for port in netlist.outputs for bit in expected[port]]


def test_a_mutant_acts_where_its_number_is_chosen(netlist, mutants):
    acting, first = 0, start(netlist)
    expected = [clock(netlist, first, inputs) for inputs in all_inputs(netlist)]
    for mutant in mutants:
        found = [clock(netlist, first, inputs, mutant.number) for inputs in all_inputs(netlist)]
        acting += found != expected
    assert acting > len(mutants) / 2


def test_registers_have_the_names_of_the_source_and_their_values_after_a_reset(netlist):
    names = [netlist.name(register) for register in range(len(netlist.registers))]
    first = dict(zip(names, start(netlist), strict=True))
    assert len(first) == 4
    known = {name: value for name, value in first.items() if not name.startswith("$")}
    assert known.items() <= {"ring[0]": 1, "ring[1]": 0, "kept[0]": 0, "unread[0]": 0}.items()
    assert sum(first.values()) == 1


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("wire x = a & ~x; assign y = x;", "a module's gates must have no loop"),
        ("missing m(.a(a), .q(y));", "a cell must be a gate or a register, not missing"),
    ],
)
def test_what_is_no_gate_is_refused(body, rule):
    with pytest.raises(ValueError, match=f"^{rule}$"):
        make_netlist(f"module toy(input clk, input rst, input a, output y); {body} endmodule",
                     NAME, [])  # fmt: skip


def read(cells, y):
    """Netlist of these cells, whose input is bit 3; `y` is the bit of its output."""
    ports = {"rst": ("input", [2]), "a": ("input", [3]), "y": ("output", [y])}
    ports = {name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()}
    return read_netlist({"ports": ports, "cells": cells, "netnames": {}})


def test_a_bit_that_nothing_drives_has_any_value():
    cell = {"type": "$_AND_", "connections": {"A": [3], "B": [4], "Y": [5]}}
    netlist, gates = read({"and": cell}, 5), Gates()
    seen = [netlist.evaluate(gates, {2: FALSE, 3: TRUE}, []).outputs[0] for _ in range(2)]
    assert len({*seen, TRUE, FALSE}) == 4
    assert netlist.evaluate(gates, {2: FALSE, 3: FALSE}, []).outputs == [FALSE]


def test_what_is_assumed_of_a_module_is_a_fact_of_its_netlist():
    cell = {"type": "$assume", "connections": {"A": [3], "EN": [4]}}
    netlist, gates = read({"known": cell}, 3), Gates()
    assert netlist.evaluate(gates, {2: FALSE, 3: TRUE}, []).facts == [TRUE]
    (fact,) = netlist.evaluate(gates, {2: FALSE, 3: FALSE}, []).facts
    assert fact not in {FALSE, TRUE}  # unless EN is high, which nothing drives


def test_a_router_with_what_is_known_has_the_ports_and_registers_of_the_router():
    plain = make_netlist(module_verilog(NETWORK, ROUTER), ROUTER, [])
    known = make_netlist_with_facts(NETWORK, ROUTER)
    for ports in ("inputs", "outputs"):
        one, other = (getattr(netlist, ports) for netlist in (plain, known))
        assert {name: len(one[name]) for name in one} == {name: len(other[name]) for name in other}
    assert not plain.facts
    assert len(known.facts) > 50
    names = {name.removeprefix("router.") for names in known.names for name in names}
    assert all(names.intersection(ones) for ones in plain.names)


def test_a_network_has_the_registers_of_its_routers_and_the_ports_of_its_nodes():
    alone = module_verilog(NETWORK, ROUTER)
    mutants = list_mutants(alone, ROUTER, count=3)
    router = make_netlist(alone, ROUTER, mutants)
    whole = make_network_netlist(NETWORK, ROUTER, mutants)
    assert len(router.registers) < len(whole.registers) <= 2 * len(router.registers)
    assert {"s_axis_0_tdata", "s_axis_1_tdata"} <= set(whole.inputs)
    assert {"m_axis_0_tdata", "refused_1"} <= set(whole.outputs)
    assert len(whole.chooser) == 2
