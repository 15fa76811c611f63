"""Every bridge is proven, for all time."""

from dataclasses import replace

import pytest
from helpers.cases import slow
from knotwork.formal import PROVEN
from knotwork_soc import BusParameters
from knotwork_soc.formal.buses.bridges import BRIDGES, SMALL, prove_bridge
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES

# AXI4-Lite has no data of 8 bits.
WIDE = replace(SMALL, data_width=32)


def widths(name):
    return WIDE if "axi_lite" in name else SMALL


def test_every_bridge_has_proofs():
    assert len(BRIDGES) == len(INITIATOR_BRIDGES) + len(TARGET_BRIDGES)
    assert all(proof.properties for proof in BRIDGES.values())


@pytest.mark.parametrize(
    "name", [name if name == "axi4_to_apb" else slow(name) for name in sorted(BRIDGES)]
)
def test_a_bridge_is_proven(name):
    found = {one.name: (one.result, one.reason) for one in prove_bridge(name, widths(name))}
    assert found == {one.name: (PROVEN, "") for one in BRIDGES[name].properties}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bus"),
    [
        ("wishbone_to_axi4", BusParameters(data_width=16, id_width=1, outstanding=1)),
        ("wishbone_to_axi4", BusParameters(data_width=64, outstanding=8)),
        ("apb_to_axi4", BusParameters(data_width=32, address_width=40)),
        ("axi4_to_wishbone", BusParameters(data_width=32, burst=16, id_width=3)),
        ("axi4_to_apb", BusParameters(data_width=16, burst=8)),
        ("axi4_to_axi_lite", BusParameters(data_width=64, burst=16)),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.data_width),
)
def test_a_bridge_of_other_widths_is_proven(name, bus):
    assert {one.result for one in prove_bridge(name, bus)} == {PROVEN}
