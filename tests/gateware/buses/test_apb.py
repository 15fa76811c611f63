"""APB4's signals have the direction and the bits that its standard gives them."""

from helpers.bus_signals import driven_and_heard


def test_signals_are_the_standards():
    assert driven_and_heard("apb", address_width=40, data_width=32) == (
        {"psel": 1, "penable": 1, "pwrite": 1, "paddr": 40, "pprot": 3, "pwdata": 32, "pstrb": 4},
        {"prdata": 32, "pready": 1, "pslverr": 1},
    )
