from helpers.toy import all_inputs, clock, start


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
        given = dict(zip(names, inputs, strict=True))
        expected, (ring, kept) = literal_toy(ring, kept, **given)
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
    assert sum(start(netlist)) == 1
