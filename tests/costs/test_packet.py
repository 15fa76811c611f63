import re

import pytest
from knotwork import Network
from knotwork.costs.packet import packet_pieces
from knotwork.costs.pieces import Crossbar, mux_luts, ram_cells
from knotwork.emit.modules import router_verilog

MEMORY = re.compile(r"reg (?:\[(\d+):0\] )?\w+ \[0:(\d+)\];")
"""Memory in Verilog: its highest bit, and its last place."""


def pieces(word):
    network = Network.from_word(word)
    kind = max(network.router_kinds, key=lambda kind: (len(kind.ports), len(kind.turns)))
    return packet_pieces(network, kind), Crossbar(network, kind)


@pytest.mark.parametrize("keys", ["", ",virtual_channels=2", ",pipeline=2", ",routing=updown"])
def test_a_bit_of_data_passes_every_multiplexer_of_the_crossbar(keys):
    (narrow, bar), (wide, _) = (
        pieces(f"mesh:x=4,y=4,data_width={width}{keys}") for width in (32, 33)
    )
    grown = wide["lut4"]["crossbar"] - narrow["lut4"]["crossbar"]
    assert grown == sum(mux_luts(fan) for fan in bar.fans.values())


def test_registered_grants_steer_a_smaller_crossbar():
    """Two outputs of a mesh's router have four inputs: two tables per bit, and three lines."""
    (narrow, _), (wide, bar) = (
        pieces(f"mesh:x=4,y=4,data_width={width},buffer_depth=2,pipeline=2") for width in (32, 33)
    )
    assert sorted(bar.fans.values()) == [2, 2, 4, 4, 5]
    grown = wide["lut4"]["crossbar"] - narrow["lut4"]["crossbar"]
    assert grown == sum(mux_luts(fan) for fan in bar.fans.values()) - 2
    assert wide["ff"]["select lines"] == 2 * 3
    assert pieces("mesh:x=4,y=4,buffer_depth=2")[0]["ff"]["select lines"] == 0


def test_buffers_in_ram_have_pointers_and_others_registers():
    deep, _ = pieces("mesh:x=3,y=3,buffer_depth=16")
    flat, _ = pieces("mesh:x=3,y=3,buffer_depth=2")
    assert (deep["lut4"]["pointers"], flat["lut4"]["pointers"]) == (5 * 4, 0)
    assert (deep["ff"]["registers of buffers"], flat["dpr"]["cells"]) == (0, 0)
    assert flat["ff"]["registers of buffers"] > 5 * 32
    assert deep["dpr"]["cells"] > 5 * 32 / 4


def test_channels_of_an_input_with_credits_share_a_memory():
    one, _ = pieces("mesh:x=3,y=3,pipeline=2,buffer_depth=8")
    two, _ = pieces("mesh:x=3,y=3,pipeline=2,buffer_depth=4,virtual_channels=2")
    assert two["lut4"]["credits"] == 2 * one["lut4"]["credits"] == 8
    assert "credits" not in pieces("mesh:x=3,y=3")[0]["lut4"]
    assert two["dpr"]["cells"] < 1.3 * one["dpr"]["cells"]


def test_broadcasts_and_parity_are_pieces():
    plain, _ = pieces("wk:w=3,levels=2,broadcast=no")
    branching, _ = pieces("wk:w=3,levels=2")
    assert (plain["lut4"]["branches"], plain["ns"]["branches"]) == (0, 0)
    assert branching["lut4"]["branches"] >= branching["lut4"]["branching buffers"] > 0
    guarded, _ = pieces("mesh:x=3,y=3,parity=yes")
    assert guarded["lut4"]["parity of flits"] > 5 * 32


def test_parity_over_credits_is_of_flits_and_of_their_ways():
    plain, _ = pieces("hypercube:n=4,pipeline=2")
    guarded, bar = pieces("hypercube:n=4,pipeline=2,parity=yes")
    assert plain["lut4"]["parity of flits"] == plain["ff"]["parity of ways"] == 0
    # e-cube: from dimension i to those above it and the node; from the node to all
    assert guarded["ff"]["parity of ways"] == sum(bar.choices.values()) == 5 + 1 + 2 + 3 + 4
    assert guarded["lut4"]["parity of nodes"] > 32


@pytest.mark.parametrize(
    ("keys", "cells"),
    [
        # Flits of 41 bits are stored without those of their addresses that are known: 37, so all
        # but the mark, from the node, and 36 from links. With parity it is all 46. Ways are numbers
        # of 3, 0, 1, 2 and 2 bits.
        ("parity=no", 9 + 4 * 9 + 5),
        ("parity=yes", 5 * 12 + (3 + 1 + 2 + 3 + 3)),
        ("virtual_channels=2,buffer_depth=8", 9 + 4 * 9 + 2 * 5),
        ("virtual_channels=2,buffer_depth=16", 2 * (9 + 4 * 9 + 2 * 5)),
    ],
)
def test_a_memory_is_of_flits_and_of_the_ways_of_several_channels_twice(keys, cells):
    assert pieces(f"hypercube:n=4,pipeline=2,{keys}")[0]["dpr"] == {"cells": cells}


def test_where_packets_branch_an_entry_has_a_bit_per_way():
    """6 ways from the node, 5 from the neighbour; from four links, each of two channels, 2.

    Of a flit all 46 bits are stored.
    """
    found, _ = pieces("wk:w=5,levels=2,pipeline=2")
    assert found["dpr"] == {"cells": 2 * (12 + 2) + 4 * (2 * 12 + 2 * 2 * 1)}


@pytest.mark.parametrize(
    "word",
    [
        *("hypercube:n=3,pipeline=2", "hypercube:n=3,pipeline=2,parity=yes"),
        "mesh:x=3,y=3,virtual_channels=2,pipeline=2,data_width=24",
        "mesh:x=3,y=3,virtual_channels=3,pipeline=3,buffer_depth=8,data_width=15",
        *("wk:w=3,levels=2,pipeline=2,broadcast=no", "wk:w=3,levels=2,pipeline=2"),
    ],
)
def test_the_cells_are_those_of_the_memories_in_the_verilog(word):
    network = Network.from_word(word)
    for kind in network.router_kinds:
        found = MEMORY.findall(router_verilog(network, kind))
        cells = sum(ram_cells(int(high or 0) + 1, int(last) + 1) for high, last in found)
        assert packet_pieces(network, kind)["dpr"] == {"cells": cells}


def test_lanes_are_chosen_at_the_node():
    assert pieces("hypercube:n=3")[0]["lut4"]["lanes"] == 0
    assert pieces("hypercube:n=3,virtual_channels=2")[0]["lut4"]["lanes"] == 3
