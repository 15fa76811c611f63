"""Ports of a harness are found by the standards' names."""

import pytest
from knotwork_soc import BusParameters
from knotwork_soc.formal.buses.bridges import SMALL
from knotwork_soc.formal.buses.harness import BusHarness
from knotwork_soc.gateware.buses.initiator_bridges import ApbToAxi4
from knotwork_soc.gateware.buses.target_bridges import Axi4ToAxiLite


def test_the_manager_drives_the_inputs():
    harness = BusHarness(ApbToAxi4(bus=SMALL), SMALL, "bridge")
    assert harness.manager["paddr"] is harness.port("apbs_paddr")
    assert harness.target["awaddr"] is harness.port("m_axi_awaddr")
    assert len(harness.target.payload("aw")) == 2 + 12 + 8 + 3 + 2 + 1 + 4 + 3 + 4
    assert len(harness.target.payload("b")) == 2 + 2
    harness.rtlil("used")


def test_what_a_bus_does_not_have_is_as_it_would_be():
    bus = BusParameters(data_width=32)
    harness = BusHarness(Axi4ToAxiLite(bus=bus), bus, "bridge")
    assert harness.target.given("wlast", 1) == 1
    assert harness.manager.given("wlast", 1) is harness.port("s_axi_wlast")
    with pytest.raises(KeyError):
        harness.target["wlast"]
    harness.rtlil("used")
