"""Units, and the bits that a plane's flits carry beside their data, counted by hand."""

import pytest
from knotwork.system import Payload


@pytest.mark.parametrize(
    ("data_width", "widths", "keep", "user", "unit", "fields"),
    [
        # A unit is a flit: nothing to tell.
        (32, [32], False, 0, 32, {"data": 32}),
        (32, [32, 64, 96], False, 0, 32, {"data": 32}),
        # Four units of 8 bits: 0 to 3 may be absent.
        (32, [8, 32, 64], False, 0, 8, {"data": 32, "absent": 2}),
        (32, [16], False, 5, 16, {"data": 32, "absent": 1, "user": 5}),
        # Bytes; with tkeep all four may be absent.
        (32, [32], True, 0, 8, {"data": 32, "absent": 3}),
        (8, [8], True, 0, 8, {"data": 8, "absent": 1}),
        (24, [8, 24, 48], False, 0, 8, {"data": 24, "absent": 2}),
        (512, [1024], True, 256, 8, {"data": 512, "absent": 7, "user": 256}),
    ],
)
def test_fields_are_those_that_the_widths_need(data_width, widths, keep, user, unit, fields):
    payload = Payload.of(data_width, widths, keep=keep, user_width=user)
    assert payload.unit == unit
    assert payload.fields == fields
    assert payload.width == sum(fields.values())


def test_only_a_beat_that_is_a_flit_needs_no_adapter():
    assert Payload.of(32, [32, 64]).is_plain(32)
    assert not Payload.of(32, [32, 64]).is_plain(64)
    assert not Payload.of(32, [32, 8]).is_plain(32)
    assert not Payload.of(32, [32], user_width=1).is_plain(32)


def test_a_packet_takes_the_flits_that_its_units_fill():
    payload = Payload.of(32, [32], keep=True)
    assert [payload.flits(count) for count in (0, 1, 4, 5, 8, 9)] == [1, 1, 1, 2, 2, 3]
