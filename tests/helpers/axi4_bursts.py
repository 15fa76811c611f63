"""Bursts of AXI4 for Amaranth's simulator."""

from knotwork_soc.gateware.buses.bus_kinds import Burst

PLAIN = {"id": 0, "size": 2, "burst": Burst.INCR, "prot": 0, "lock": 0, "cache": 0, "qos": 0}


def burst(address, beats=1, **fields):
    """Address of an incrementing burst of words, unless its fields say otherwise."""
    return PLAIN | {"address": address, "length": beats - 1} | fields


def beats(data, strobe=0xF):
    """Beats of a write burst."""
    return [
        {"data": word, "strobe": strobe, "last": number == len(data) - 1}
        for number, word in enumerate(data)
    ]
