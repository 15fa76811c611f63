"""Links of several cycles: their proofs, and faults that these find."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, router_outcomes, sees
from knotwork import Network
from knotwork.formal import PROVEN, parts


@pytest.fixture
def net(tmp_path):
    """Words of a network with links of 2 and 4 cycles."""
    (tmp_path / "a.edges").write_text("0 1 4\n1 2 2\n2 0\n")
    return f"graph file={tmp_path}/a.edges data_width=8 buffer_depth=4"


@pytest.mark.parametrize("latency", [slow(2), 4])
def test_what_is_along_links_is_proven(net, latency):
    found = outcomes(net, f"link{latency}")
    assert found == {"delay": (PROVEN, ""), "places": (PROVEN, "")}


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A stage is left out.
        slow("valid_2 <= valid_1;", "valid_2 <= valid_0;", "delay"),
        slow("flit_1 <= flit_0;", "flit_1 <= i_flit;", "delay"),
        # A credit is returned though none came.
        ("credit_0 <= o_credit;", "credit_0 <= o_credit | o_valid;", "places"),
        # A flit comes twice.
        slow("assign o_valid = valid_2;", "assign o_valid = valid_2 | valid_1;", "places"),
    ],
)
def test_a_fault_of_a_link_is_found(net, before, after, name):
    assert sees(net, "link4", before, after, name)


def test_there_is_one_part_for_each_latency(net):
    network = Network.from_words(net.split())
    assert [part.name for part in parts(network)] == [f"{network.name}_link{n}" for n in (2, 4)]
    assert parts(Network.from_word("mesh:x=2,y=2,pipeline=2")) == []


@pytest.mark.slow
def test_routers_beside_long_links_are_proven_too(net):
    """Their buffers hold 6 and 10 flits: what they count is another number at each port."""
    found = router_outcomes(net)
    assert len(found) > 15
    assert set(found.values()) == {(PROVEN, "")}
