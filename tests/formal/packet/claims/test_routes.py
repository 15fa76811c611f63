"""Turns that gates choose, held to the routing's rule: a fault that the proofs find."""

from helpers.proven import router_outcomes
from knotwork.formal import FAILED
from knotwork.gateware.networks.wk import BRANCH_COMPUTATIONS
from knotwork.gateware.networks.wk_broadcast import LabelBranches


def test_gates_that_branch_otherwise_than_the_rule_are_found(monkeypatch):
    class Reversed(LabelBranches):
        def _crosses(self):
            return ~super()._crosses()

    monkeypatch.setitem(BRANCH_COMPUTATIONS, "label", Reversed)
    found = router_outcomes("wk w=2 levels=2 data_width=8 buffer_depth=2", only=["branches"])
    assert found["branches"][0] == FAILED
