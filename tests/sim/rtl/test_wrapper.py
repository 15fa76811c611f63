import re

from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork_sim.rtl import wrapper


def pins(network):
    """Wires at each pin of the network within the testbench."""
    text = wrapper.wrapper_verilog(network)
    return dict(re.findall(r"\.(\w+)\(([^)]*)\)", text))


def ports(network):
    text = wrapper.wrapper_verilog(network)
    found = re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+) /\* (.*) \*/", text, re.MULTILINE)
    assert {comment for *_, comment in found} == {"verilator public_flat_rw"}
    return {name: (way, int(high or 0) + 1) for way, high, name, _ in found}


def test_ports_are_as_wide_as_all_nodes_together():
    network = Network(Ring(nodes=6), routing=RingRouting, data_width=72)
    assert ports(network) == {
        "clk": ("input", 1),
        "rst": ("input", 1),
        "flags_in": ("input", 12),
        "flags_out": ("output", 18),
        "s_tdata": ("input", 6 * 72),
        "s_tlast": ("input", 6),
        "s_tdest": ("input", 6 * 3),
        "m_tdata": ("output", 6 * 72),
        "m_tlast": ("output", 6),
        "m_tid": ("output", 6 * 3),
    }


def test_every_bit_belongs_to_one_pin():
    network = Network(Hypercube(n=2), data_width=8)
    taken = {name: [0] * width for name, (_, width) in ports(network).items()}
    for wires in pins(network).values():
        name, first, width = re.fullmatch(r"(\w+)(?:\[(\d+)(?: \+: (\d+))?\])?", wires).groups()
        for bit in range(int(first or 0), int(first or 0) + int(width or 1)):
            taken[name][bit] += 1
    assert all(count == 1 for bits in taken.values() for count in bits)


def test_a_node_stands_at_its_place():
    wires = pins(Network(Hypercube(n=2), data_width=8))
    assert wires["s_axis_3_tdata"] == "s_tdata[24 +: 8]"
    assert wires["m_axis_3_tid"] == "m_tid[6 +: 2]"
    assert wires["m_axis_3_tready"] == "flags_in[3]"
    assert wires["s_axis_3_tvalid"] == "flags_in[7]"
    assert wires["m_axis_3_tvalid"] == "flags_out[3]"
    assert wires["s_axis_3_tready"] == "flags_out[7]"
    assert wires["refused_3"] == "flags_out[11]"
