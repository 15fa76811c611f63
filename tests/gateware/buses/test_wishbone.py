"""Wishbone's signals have the direction and the bits that its standard gives them."""

from helpers.bus_signals import driven_and_heard


def test_signals_are_the_standards():
    assert driven_and_heard("wishbone", address_width=40, data_width=32) == (
        {"cyc": 1, "stb": 1, "we": 1, "adr": 38, "sel": 4, "dat_w": 32},
        {"dat_r": 32, "ack": 1, "err": 1, "stall": 1},
    )


def test_addresses_of_one_byte_words_are_addresses_of_bytes():
    driven, _ = driven_and_heard("wishbone", address_width=16, data_width=8)
    assert (driven["adr"], driven["sel"]) == (16, 1)
