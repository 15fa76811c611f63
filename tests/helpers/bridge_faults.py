"""Faults of bridges that their proofs find."""

from dataclasses import replace

from helpers.faults import changing
from knotwork.formal import FAILED
from knotwork_soc.formal.buses.bridges import SMALL, prove_bridge


def sees(bridge, before, after, name):
    """Whether a property of a bridge has a counterexample once its text is broken.

    Where the text stands several times, it is broken in all places.
    """
    bus = replace(SMALL, data_width=32) if "axi_lite" in bridge else SMALL
    (found,) = prove_bridge(bridge, bus, only=[name], edit=changing(before, after, places=None))
    return found.result == FAILED and found.reason.startswith("counterexample")
