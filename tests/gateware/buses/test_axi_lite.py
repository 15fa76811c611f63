"""AXI4-Lite's signals have the direction and the bits that its standard gives them."""

from helpers.bus_signals import driven_and_heard


def test_signals_are_the_standards():
    assert driven_and_heard("axi_lite", address_width=40, data_width=32) == (
        {"awaddr": 40, "awprot": 3, "awvalid": 1, "araddr": 40, "arprot": 3, "arvalid": 1}
        | {"wdata": 32, "wstrb": 4, "wvalid": 1, "bready": 1, "rready": 1},
        {"awready": 1, "arready": 1, "wready": 1}
        | {"bresp": 2, "bvalid": 1, "rdata": 32, "rresp": 2, "rvalid": 1},
    )
