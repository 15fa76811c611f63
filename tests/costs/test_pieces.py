"""Pieces of routers of every class, and of what stands beside them."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork.costs.estimate import PARTS
from knotwork.costs.pieces import (
    SAMPLED_DESTINATIONS,
    Crossbar,
    decision_nodes,
    mux_luts,
    over_one,
    pointer_bits,
    ram_cells,
    route_nodes,
)
from knotwork.costs.routers import batch_pieces, circuit_pieces, deflection_pieces, packet_pieces
from knotwork.emit.modules import router_verilog


def pieces(find, word, role=None):
    """Pieces of a network's first router, or of that with this role."""
    network = Network.from_word(word)
    kind = next(kind for kind in network.router_kinds if role in (None, kind.role))
    return kind, find(network, kind)


def packed(inputs):
    """Tables of four inputs that OR products of two wires each, packed one after another."""
    open_, tables = [2] * inputs, 0
    while len(open_) > 1 or open_ == [2]:
        taken = []
        for wires in sorted(open_, reverse=True):
            if sum(taken) + wires <= 4:
                taken.append(wires)
        for wires in taken:
            open_.remove(wires)
        open_.append(1)
        tables += 1
    return tables


@given(st.integers(2, 40))
def test_a_multiplexer_is_packed_into_tables_of_four_inputs(inputs):
    assert mux_luts(inputs) == packed(inputs)
    assert mux_luts(1) == 0


@pytest.mark.parametrize(
    ("bits", "depth", "cells"), [(4, 16, 1), (5, 16, 2), (4, 17, 2), (41, 33, 33), (1, 3, 1)]
)
def test_a_memory_takes_cells_of_sixteen_entries_of_four_bits(bits, depth, cells):
    assert ram_cells(bits, depth) == cells


def test_pointers_are_of_buffers_in_ram():
    assert [pointer_bits(depth) for depth in (2, 3, 4, 16, 17)] == [0, 2, 2, 4, 5]


def test_what_is_no_choice_does_not_count():
    assert over_one([1, 2, 3, 0]) == 5
    assert over_one([1, 2, 3], 2) == 13


def test_the_counts_of_a_corner_follow_from_its_turns():
    network = Network.from_word("mesh:x=3,y=3,virtual_channels=2")
    kind = next(kind for kind in network.router_kinds if len(kind.ports) == 3)
    bar = Crossbar(network, kind)
    local, across, down = kind.ports
    # In dimension order a packet from the vertical link only leaves for the node.
    assert bar.senders == {local: {local, across, down}, across: {local}, down: {local, across}}
    assert bar.fans == {local: 3, across: 1, down: 2}
    assert bar.input_channels == {local: 2, across: 2, down: 2}
    assert sorted(bar.requesters) == [1, 1, 2, 2, 6]
    assert bar.choices[down, 0] == 1
    assert bar.known_bits(local) == 0
    assert bar.branches == []


@pytest.mark.parametrize("bits", [1, 3, 6])
def test_parity_has_two_nodes_per_bit_but_one_for_the_first(bits):
    outcomes = np.array([number.bit_count() % 2 for number in range(1 << bits)])
    assert decision_nodes(outcomes) == 2 * bits - 1


def test_a_bit_is_one_node_wherever_it_is():
    """So an order that suits is found, whichever end is asked first."""
    for bit in range(5):
        assert decision_nodes(np.arange(32) >> bit & 1) == 1


@pytest.mark.parametrize(
    ("outcomes", "nodes"), [([7, -1, -1, 7], 0), ([-1] * 4, 0), ([1, -1, -1, 2], 1), ([3], 0)]
)
def test_where_any_outcome_is_right_none_is_asked_for(outcomes, nodes):
    assert decision_nodes(np.array(outcomes)) == nodes


@pytest.mark.parametrize(("n", "lanes"), [(2, 1), (4, 1), (6, 1), (3, 2)])
def test_e_cube_asks_for_each_dimension_that_may_follow(n, lanes):
    """A packet that came by a dimension has those after it left, one decision each per lane."""
    _, nodes = pieces(route_nodes, f"hypercube:n={n},virtual_channels={lanes}")
    assert nodes == lanes * (n + sum(range(n)))


def test_large_networks_are_asked_about_a_sample(monkeypatch):
    _, every = pieces(route_nodes, "hypercube:n=4")
    monkeypatch.setattr("knotwork.costs.pieces.SAMPLED_DESTINATIONS", 4)
    assert 0 < pieces(route_nodes, "hypercube:n=4")[1] < every
    assert SAMPLED_DESTINATIONS == 1024


def test_messages_of_batches_pass_a_multiplexer_for_each_link():
    found = pieces(batch_pieces, "hypercube:n=4,routing=lc1,data_width=16")[1]["lut4"]
    assert (found["links"], found["messages"]) == (4, 4 * (16 + 2 * 4))
    assert (found["table"], found["counter"]) == (0, 0)


@pytest.mark.parametrize(
    ("word", "piece", "size"),
    [
        ("ccc:n=4,routing=lc2", "table", 4),
        ("ccc:n=4,routing=lc2,control=entry", "table", 0),
        ("hypercube:n=4,routing=lc1,sequencer=distributed", "bits of the counter", 4),
    ],
)
def test_tables_and_counters_are_where_a_key_puts_them(word, piece, size):
    assert pieces(batch_pieces, word)[1]["lut4"][piece] == size


@pytest.mark.parametrize(
    ("word", "level", "crosspoints"),
    [
        # Each downer from the others and the uppers, each upper from the downers.
        ("lcan:d=2,u=2,levels=3", 0, 2 * (1 + 2) + 2 * 2),
        ("lcan:d=4,u=2,levels=3", 0, 4 * (3 + 2) + 2 * 4),
        ("lcan:d=4,u=2,levels=3", 2, 4 * 3),
        ("banyan:d=2,u=2,levels=3", 0, 2 * 2 + 2 * 2),
    ],
)
def test_the_crosspoints_are_those_that_circuits_take(word, level, crosspoints):
    kind, found = pieces(circuit_pieces, word, f"router_level{level}")
    assert found["lut4"]["crosspoints"] == crosspoints
    assert found["lut4"]["wires"] == (len(kind.ports) - 1) * (32 + 2)


def test_a_switch_of_two_downers_at_the_top_chooses_nothing():
    sizes = pieces(circuit_pieces, "lcan:d=2,u=2,levels=2", "router_level1")[1]["lut4"]
    assert (sizes["choice"], sizes["crossbar"], sizes["requests"]) == (0, 0, 0)


@pytest.mark.parametrize(("d", "u", "multiplied"), [(4, 2, False), (3, 2, True), (4, 3, True)])
def test_a_scan_of_a_count_that_is_no_power_of_two_is_multiplied(d, u, multiplied):
    _, found = pieces(circuit_pieces, f"lcan:d={d},u={u},levels=2", "router_level0")
    assert found["ns"]["multiplied"] == multiplied


def test_a_deflecting_router_of_four_links_has_two_rounds_of_two_exchanges():
    packet = 32 + 4 + 4 + 2  # data, two addresses, phase and first
    _, sizes = pieces(deflection_pieces, "hypercube:n=4,router=deflection")
    assert sizes["lut4"]["exchanges"] == 4 * packet
    assert sizes["lut4"]["wires"] == 4 * packet
    assert sizes["ns"]["rounds"] == 2
    assert sizes["lut4"]["rings"] == 0


def test_one_way_rings_have_no_exchanges():
    word = "torus:x=4,y=4,directions=one,router=deflection,data_width=28,source=no"
    sizes = pieces(deflection_pieces, word)[1]["lut4"]
    assert (sizes["exchanges"], sizes["rings"]) == (0, 28 + 4)


def parts(word):
    network = Network.from_word(word)
    return {part.role: part for part in PARTS[network.router_class](network)}


def test_an_interface_keeps_two_packets_each_way():
    found = parts("lcan:d=2,u=2,levels=3")
    assert (found["interface"].number, found["controller"].number) == (8, 1)
    # 32 entries, of 33 bits out, and of 33 bits with a source of 3 in.
    assert found["interface"].pieces["dpr"]["cells"] == 9 * 2 + 9 * 2
    assert "chooser" not in found


def test_nodes_with_links_to_several_trees_have_choosers_and_batches_a_controller():
    assert parts("kyklos:k=2,levels=4")["chooser"].number == 16
    assert list(parts("hypercube:n=4,routing=lc1")) == ["controller"]
    assert PARTS["packet"](Network.from_word("mesh:x=4,y=4")) == []


MEMORY = re.compile(r"reg (?:\[(\d+):0\] )?\w+ \[0:(\d+)\];")
"""Memory in Verilog: its highest bit, and its last place."""


def memory_cells(verilog, module):
    """Cells of the memories of a module, and of all that it places."""
    (body,) = re.findall(rf"^module {module} .*?^endmodule", verilog, re.MULTILINE | re.DOTALL)
    own = sum(ram_cells(int(high or 0) + 1, int(last) + 1) for high, last in MEMORY.findall(body))
    placed = re.findall(r"^  (\w+) \w+ \($", body, re.MULTILINE)
    return own + sum(memory_cells(verilog, one) for one in placed)


def of_packets(word):
    network = Network.from_word(word)
    kind = max(network.router_kinds, key=lambda kind: (len(kind.ports), len(kind.turns)))
    return packet_pieces(network, kind), Crossbar(network, kind)


@pytest.mark.parametrize("keys", ["", ",virtual_channels=2", ",pipeline=2", ",routing=updown"])
def test_a_bit_of_data_passes_every_multiplexer_of_the_crossbar(keys):
    (narrow, bar), (wide, _) = (
        of_packets(f"mesh:x=4,y=4,data_width={width}{keys}") for width in (32, 33)
    )
    grown = wide["lut4"]["crossbar"] - narrow["lut4"]["crossbar"]
    assert grown == sum(mux_luts(fan) for fan in bar.fans.values())


def test_buffers_in_ram_have_pointers_and_others_registers():
    deep, _ = of_packets("mesh:x=3,y=3,buffer_depth=16,pipeline=1")
    flat, _ = of_packets("mesh:x=3,y=3,buffer_depth=2,pipeline=1")
    assert (deep["lut4"]["pointers"], flat["lut4"]["pointers"]) == (5 * 4, 0)
    assert (deep["ff"]["registers of buffers"], flat["dpr"]["cells"]) == (0, 0)
    assert flat["ff"]["registers of buffers"] > 5 * 32
    assert deep["dpr"]["cells"] > 5 * 32 / 4


def test_channels_of_an_input_with_credits_share_a_memory():
    one, _ = of_packets("mesh:x=3,y=3,pipeline=2,buffer_depth=8")
    two, _ = of_packets("mesh:x=3,y=3,pipeline=2,buffer_depth=4,virtual_channels=2")
    assert two["lut4"]["credits"] == 2 * one["lut4"]["credits"] == 8
    assert "credits" not in of_packets("mesh:x=3,y=3,pipeline=1")[0]["lut4"]
    assert two["dpr"]["cells"] < 1.3 * one["dpr"]["cells"]


def test_broadcasts_and_parity_are_pieces():
    plain, _ = of_packets("wk:w=3,levels=2,broadcast=no")
    branching, _ = of_packets("wk:w=3,levels=2")
    assert (plain["lut4"]["branches"], plain["ns"]["branches"]) == (0, 0)
    assert branching["lut4"]["branches"] >= branching["lut4"]["branching buffers"] > 0
    guarded, _ = of_packets("mesh:x=3,y=3,parity=yes")
    assert guarded["lut4"]["parity of flits"] > 5 * 32


def test_classes_share_nothing_but_links():
    one, _ = of_packets("mesh:x=3,y=3")
    two, _ = of_packets("mesh:x=3,y=3,classes=2")
    for piece in ("credits", "buffers", "pointers", "fans", "nodes"):
        assert two["lut4"][piece] == 2 * one["lut4"][piece] > 0
    assert two["lut4"]["shared links"] == 2 * 4
    assert (one["lut4"]["shared links"], one["lut4"]["weights"]) == (0, 0)
    weighted, _ = of_packets("mesh:x=3,y=3,classes=2,arbitration=weighted,class_weights=7,1")
    assert weighted["ff"]["weights"] == 4 * (3 + 1)
    limited, _ = of_packets("mesh:x=3,y=3,classes=2,class_limits=1,1/20,class_bursts=1,3")
    assert (limited["ff"]["limits"], limited["ff"]["bits of limits"]) == (1, 6)


def test_escapes_double_the_ways_that_are_stored():
    plain, _ = of_packets("moebius:n=3,routing=spr,virtual_channels=2")
    escaping, bar = of_packets("moebius:n=3,routing=spr,vc_scheme=escape")
    assert plain["lut4"]["ways that escape"] == plain["lut4"]["routes of escapes"] == 0
    assert escaping["lut4"]["ways that escape"] == sum(bar.choices.values())
    assert escaping["lut4"]["routes of escapes"] > 0
    assert escaping["dpr"]["cells"] > plain["dpr"]["cells"]


def test_of_several_other_ways_those_that_packets_have_together_are_pieces():
    """In a line of three, the middle router's inputs: a node, and a link from either side."""
    one = pieces(packet_pieces, "mesh:x=3,y=1,virtual_channels=2,buffer_depth=8")[1]
    _, found = pieces(
        packet_pieces, "mesh:x=3,y=1,routing=adaptive,buffer_depth=8", role="router_L_R"
    )
    names = ("inputs that choose", "combinations of ways", "pairs of combinations")
    assert {one["lut4"][name] for name in names} == {0}
    assert found["lut4"]["escapes"] == found["lut4"]["ways that escape"] == 0
    # The node's channel, and that of class 0 of either link.
    assert found["lut4"]["inputs that choose"] == 3
    # From the node: to itself, and to either side, where both ways are the same and the escape is
    # another class of that link. From a link: to the node and to the other side.
    assert found["lut4"]["combinations of ways"] == 3 + 2 + 2
    assert found["lut4"]["pairs of combinations"] == 3**2 + 2**2 + 2**2


def test_where_heads_prefer_open_ways_the_combinations_are_a_piece():
    word, name = "mesh:x=3,y=1,routing=adaptive,buffer_depth=8", "combinations that are open"
    counts = {
        one: pieces(packet_pieces, f"{word},selection={one}", role="router_L_R")[1]["lut4"][name]
        for one in ("first", "credits", "random")
    }
    assert counts == {"first": 0, "credits": 3 + 2 + 2, "random": 0}


def test_every_channel_has_loaded_tables_and_every_link_guards():
    one, _ = of_packets("hypercube:n=3,tables=loaded")
    assert (one["lut4"]["loaded routes"], one["lut4"]["guarded links"]) == (4, 3)
    assert one["lut4"]["banks of tables"] == 0  # 16 entries
    lanes, _ = of_packets("mesh:x=4,y=4,tables=loaded,virtual_channels=2")
    assert lanes["lut4"]["loaded routes"] > 5
    # 32 entries are two rows; a port of five takes three bits.
    assert lanes["lut4"]["banks of tables"] == lanes["lut4"]["loaded routes"] * 3


def test_a_multicast_unit_has_a_store_for_each_class_of_channels():
    several, _ = of_packets("hypercube:n=3,multicast=yes,max_packet=20")
    assert (several["lut4"]["multicast units"], several["lut4"]["stores"]) == (1, 3)
    assert several["lut4"]["pointers of stores"] == 3 * 5
    fewer, _ = of_packets("hypercube:n=3,multicast=yes,max_packet=16")
    # 32 bits of 20 flits take two rows of cells, 8 each.
    assert several["dpr"]["cells"] - fewer["dpr"]["cells"] == 3 * 8


def test_parity_over_credits_is_of_flits_and_of_their_ways():
    plain, _ = of_packets("hypercube:n=4,pipeline=2")
    guarded, bar = of_packets("hypercube:n=4,pipeline=2,parity=yes")
    assert plain["lut4"]["parity of flits"] == plain["ff"]["parity of ways"] == 0
    # e-cube: from dimension i to those above it and the node; from the node to all
    assert guarded["ff"]["parity of ways"] == sum(bar.choices.values()) == 5 + 1 + 2 + 3 + 4
    assert guarded["lut4"]["parity of nodes"] > 32


@pytest.mark.parametrize(
    "word",
    [
        *("hypercube:n=3,pipeline=2", "hypercube:n=3,pipeline=2,parity=yes"),
        pytest.param(
            "hypercube:n=3,pipeline=2,virtual_channels=2,buffer_depth=16", marks=pytest.mark.slow
        ),
        "mesh:x=2,y=2,virtual_channels=2,pipeline=2,data_width=24",
        "mesh:x=3,y=1,virtual_channels=3,pipeline=3,buffer_depth=8,data_width=15",
        pytest.param("wk:w=3,levels=2,pipeline=2,broadcast=no", marks=pytest.mark.slow),
        "wk:w=3,levels=2,pipeline=2",
        "moebius:n=2,routing=spr,vc_scheme=escape,pipeline=2",
        "moebius:n=2,routing=spr,vc_scheme=escape,pipeline=3,parity=yes,data_width=16",
        "mesh:x=3,y=1,routing=adaptive,buffer_depth=8",
        "hypercube:n=2,routing=adaptive,ways=3,virtual_channels=4,data_width=24,parity=yes",
        "ring:n=5,routing=adaptive,buffer_depth=4",
    ],
)
def test_the_cells_are_those_of_the_memories_in_the_verilog(word):
    network = Network.from_word(word)
    for kind in network.router_kinds:
        cells = memory_cells(router_verilog(network, kind), kind.name)
        assert packet_pieces(network, kind)["dpr"] == {"cells": cells}


def test_lanes_are_chosen_at_the_node():
    assert of_packets("hypercube:n=3")[0]["lut4"]["lanes"] == 0
    assert of_packets("hypercube:n=3,virtual_channels=2")[0]["lut4"]["lanes"] == 3
