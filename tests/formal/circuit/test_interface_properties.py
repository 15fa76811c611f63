"""Interfaces of PEs: that they are proven."""

import pytest
from helpers.proven import outcomes
from knotwork.formal import PROVEN


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "lcan d=2 u=2 levels=2",
        "lcan d=4 u=2 levels=2 interconnect=tree data_width=8 max_packet=4",
        "lcan d=2 u=3 levels=3 routing=scheduled max_packet=4",
        "fattree r=2,3 u=2,1 data_width=8 max_packet=1",
        "banyan d=3 u=2 levels=2 data_width=8 max_packet=2",
    ],
)
def test_an_interface_is_proven(words):
    found = outcomes(words, "interface")
    names = ["injection", "offers", "ejection", "assertions"]
    assert found == dict.fromkeys(names, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "lcan d=2 u=1 levels=1 data_width=8 max_packet=2",
        "lcan d=2 u=2 levels=3 max_packet=4 data_width=8 routing=scheduled",
        "fattree r=2,3 u=2,1 data_width=8 max_packet=1",
        "banyan d=2 u=2 levels=2 data_width=8 max_packet=2",
    ],
)
def test_an_interface_of_adaptive_network_cycles_is_proven(words):
    found = outcomes(f"{words} cycle=adaptive", "interface")
    names = ["injection", "offers", "ejection", "reports", "assertions"]
    assert found == dict.fromkeys(names, (PROVEN, ""))
