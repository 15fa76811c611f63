"""Every kind of bus has a bridge each way, whose member is named by the kind."""

import pytest
from amaranth.lib.wiring import In, Out
from helpers.streams import refusal
from knotwork.errors import ConfigurationError
from knotwork.gateware.buses.bridges import INITIATOR_BRIDGES, TARGET_BRIDGES
from knotwork.gateware.buses.bus_kinds import BUS_KINDS
from knotwork.system import BusParameters

BUS = BusParameters()


def test_all_kinds_but_axi4_itself_have_bridges():
    assert INITIATOR_BRIDGES.keys() == TARGET_BRIDGES.keys() == BUS_KINDS.keys() - {"axi4"}


@pytest.mark.parametrize("kind", TARGET_BRIDGES)
def test_members_are_the_kinds_buses(kind):
    for bridges, towards_user in ((INITIATOR_BRIDGES, In), (TARGET_BRIDGES, Out)):
        members = bridges[kind](bus=BUS).signature.members
        assert members.keys() == {"axi4", kind}
        assert members[kind].flow == towards_user
        assert members["axi4"].flow == (Out if towards_user is In else In)


@pytest.mark.parametrize("kind", TARGET_BRIDGES)
def test_widths_that_a_kind_does_not_have_are_refused(kind):
    for bridge in (INITIATOR_BRIDGES[kind], TARGET_BRIDGES[kind]):
        told = refusal(ConfigurationError, lambda: bridge(bus=BusParameters(data_width=1024)))  # noqa: B023
        assert told.startswith("bus: data_width must be ")
        assert told.endswith(f" for {BUS_KINDS[kind].title}, not 1024")
