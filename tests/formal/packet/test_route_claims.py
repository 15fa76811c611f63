"""Turns that gates choose, held to the routing's rule: a fault that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import router_outcomes
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.packet import router_harness
from knotwork.gateware.networks.wk import BRANCH_COMPUTATIONS
from knotwork.gateware.networks.wk_broadcast import LabelBranches
from knotwork.gateware.packet import inputs


def test_gates_that_branch_otherwise_than_the_rule_are_found(monkeypatch):
    class Reversed(LabelBranches):
        def _crosses(self):
            return ~super()._crosses()

    monkeypatch.setitem(BRANCH_COMPUTATIONS, "label", Reversed)
    found = router_outcomes("wk w=2 levels=2 data_width=8 buffer_depth=2", only=["branches"])
    assert found["branches"][0] == FAILED


TABLES = "ring n=5 routing=updown data_width=8 buffer_depth=2"
"""Its routers are one module, and each has a table of its own."""


@pytest.mark.parametrize(
    "words", [TABLES, slow("torus x=3 y=2 routing=updown data_width=8 buffer_depth=2")]
)
def test_routers_with_tables_of_their_own_are_proven(words):
    """The addresses of the second one are not the numbers of its nodes."""
    assert router_outcomes(words, only=["route"])["route"] == (PROVEN, "")


def test_a_table_of_another_router_is_found(monkeypatch):
    def of_another(network, router):
        tables = inputs.constants(network, 3 if router == 1 else router)
        return tables | inputs.own_address(network, router)

    monkeypatch.setattr(router_harness, "constants", of_another)
    assert router_outcomes(TABLES, only=["route"])["route"][0] == FAILED
