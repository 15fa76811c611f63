import pytest
from helpers.toy import NAME
from knotwork import Network
from quality.mutation.gates import FALSE, TRUE, Gates
from quality.mutation.mutants import list_mutants, module_verilog
from quality.mutation.read_netlist import (
    make_known_netlist,
    make_netlist,
    make_network_netlist,
    read_netlist,
)


def test_a_loop_of_gates_is_refused():
    looped = "module toy(input clk, input a, output y); wire x = a & ~x; assign y = x; endmodule"
    with pytest.raises(ValueError, match=r"^a module's gates must have no loop$"):
        make_netlist(looped, NAME, [])


def test_a_bit_that_nothing_drives_has_any_value():
    ports = {"rst": ("input", [2]), "a": ("input", [3]), "y": ("output", [5])}
    cells = {"and": {"type": "$_AND_", "connections": {"A": [3], "B": [4], "Y": [5]}}}
    netlist = read_netlist(
        {
            "ports": {
                name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()
            },
            "cells": cells,
            "netnames": {},
        }
    )
    gates = Gates()
    seen = [netlist.evaluate(gates, {2: FALSE, 3: TRUE}, []).outputs[0] for _ in range(2)]
    assert len({*seen, TRUE, FALSE}) == 4
    assert netlist.evaluate(gates, {2: FALSE, 3: FALSE}, []).outputs == [FALSE]


def test_a_cell_that_is_no_gate_is_refused():
    text = "module toy(input clk, input rst, input a, output y); missing m(.a(a), .q(y)); endmodule"
    with pytest.raises(ValueError, match=r"^a cell must be a gate or a register, not missing$"):
        make_netlist(text, NAME, [])


def test_what_is_assumed_of_a_module_is_a_fact_of_its_netlist():
    ports = {"rst": ("input", [2]), "a": ("input", [3]), "y": ("output", [3])}
    netlist = read_netlist(
        {
            "ports": {
                name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()
            },
            "cells": {"known": {"type": "$assume", "connections": {"A": [3], "EN": [4]}}},
            "netnames": {},
        }
    )
    gates = Gates()
    assert netlist.evaluate(gates, {2: FALSE, 3: TRUE}, []).facts == [TRUE]
    (fact,) = netlist.evaluate(gates, {2: FALSE, 3: FALSE}, []).facts
    assert fact not in {FALSE, TRUE}  # unless EN is high, which nothing drives


def test_a_router_with_what_is_known_has_the_ports_and_registers_of_the_router():
    network = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2")
    name = network.router_kinds[0].name
    plain = make_netlist(module_verilog(network, name), name, [])
    known = make_known_netlist(network, name)
    for ports in ("inputs", "outputs"):
        widths = [
            {name: len(bits) for name, bits in getattr(netlist, ports).items()}
            for netlist in (plain, known)
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
    router = make_netlist(alone, name, mutants)
    whole = make_network_netlist(network, name, mutants)
    assert len(router.registers) < len(whole.registers) <= 2 * len(router.registers)
    assert {"s_axis_0_tdata", "s_axis_1_tdata"} <= set(whole.inputs)
    assert {"m_axis_0_tdata", "refused_1"} <= set(whole.outputs)
    assert len(whole.chooser) == 2
