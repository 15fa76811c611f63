"""Fields of packets, counted by hand from the page's table."""

import pytest
from knotwork.gateware.buses.packets.layouts import (
    element_layout,
    flits_of,
    read_beat_layout,
    received_layout,
    request_layout,
    response_layout,
    sent_layout,
    tag_width,
    write_beat_layout,
)
from knotwork.system import BusParameters


@pytest.mark.parametrize(
    ("width", "flit_width", "flits"), [(1, 8, 1), (8, 8, 1), (9, 8, 2), (36, 36, 1), (62, 36, 2)]
)
def test_flits_of_an_element(width, flit_width, flits):
    assert flits_of(width, flit_width) == flits


@pytest.mark.parametrize(("outstanding", "bits"), [(1, 1), (2, 1), (3, 2), (8, 3), (9, 4), (64, 6)])
def test_a_tag_tells_all_that_are_under_way(outstanding, bits):
    assert tag_width(BusParameters(outstanding=outstanding)) == bits


def test_bits_of_headers_and_beats():
    bus = BusParameters(address_width=32, data_width=64, outstanding=8)
    assert request_layout(bus).size == 1 + 3 + 32 + 8 + 3 + 2 + 4 + 3 + 4
    assert response_layout(bus).size == 1 + 3 + 2
    assert write_beat_layout(bus).size == 64 + 8
    assert read_beat_layout(bus).size == 64 + 2
    assert element_layout(5).size == 6
    assert sent_layout(32, 4).size == received_layout(32, 4).size == 32 + 1 + 4
