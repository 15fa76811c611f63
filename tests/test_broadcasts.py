"""Broadcast rules of a network: which there are, and what is refused."""

import pytest
from helpers.ring import RingRouting
from knotwork import Network, WkRecursive

RULES = "label, address, mask, corner, printed, stack"


@pytest.mark.parametrize(
    ("line", "complaint"),
    {
        "27": "a node must be an index in 0..26 or @label, not '27'",
        "@013": "a label must be one of @000..@222, not '@013'",
        "1 --rule corner": "the source must be one of 0, 13, 26 for --rule corner, not 1",
        "1 --rule no": f"a rule must be one of {RULES}, not 'no'",
        "broadcast=no 1": "a rule must be given with broadcast=no: --rule "
        f"{RULES.replace(', ', '|')}, not none",
    }.items(),
)
def test_a_broadcast_that_cannot_be_is_refused(refusal, line, complaint):
    name = f"wk_w3_levels3{'_broadcastno' * ('broadcast=no' in line)}"
    assert refusal(f"broadcast wk w=3 levels=3 {line}") == f"{name}: {complaint}"


def test_a_network_without_broadcasts_is_refused(refusal, monkeypatch):
    line = refusal("broadcast hypercube n=3 1 --rule label")
    assert line.startswith("broadcast: a network must be one of ")
    assert "wk" in line.removesuffix(", not hypercube").split(" one of ")[1].split(", ")
    network = Network(WkRecursive(w=3, levels=2), routing=Plain)
    monkeypatch.setattr("knotwork.designs.read_network", lambda words: network)
    line = refusal("broadcast wk 1")
    assert line.startswith("wk: routing must be one of unicast")
    assert line.endswith(" for a broadcast, not shortest")


class Plain(RingRouting):
    """Routing of any network, without broadcasts."""
