"""Ends of every kind of bus."""

from knotwork.gateware.buses.bus_kinds import BUS_KINDS
from knotwork_sim.testbench.system.buses import BUS_ENDS


def test_every_kind_of_bus_has_ends():
    assert BUS_ENDS.keys() == BUS_KINDS.keys()
