import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork.costs.pieces import (
    Crossbar,
    mux_luts,
    over_one,
    pointer_bits,
    ram_cells,
    steered_luts,
)
from knotwork.gateware.parts.crossbar import is_smaller_steered


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


@pytest.mark.parametrize("inputs", range(1, 13))
def test_select_lines_are_where_the_gateware_has_them(inputs):
    assert (steered_luts(inputs) > 0) == is_smaller_steered(inputs)
    assert steered_luts(inputs) < mux_luts(inputs) or inputs == 1


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
