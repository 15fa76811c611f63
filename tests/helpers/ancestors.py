"""Least-common-ancestor networks of all kinds, for tests of what they have in common."""

import pytest
from knotwork.topology import Baseline, Cm5, FatTree, Lcan, SwBanyan, Trac

COMPLETE = [
    Baseline(levels=3),
    Baseline(levels=5),
    Trac(levels=2),
    Trac(levels=3),
    SwBanyan(f=2, s=3, levels=3),
    SwBanyan(f=3, s=3, levels=2),
    Lcan(d=4, u=2, levels=2),
    Lcan(d=4, u=2, levels=3),
    Lcan(d=4, u=4, levels=2),
    Lcan(d=3, u=1, levels=3),
    Cm5(levels=3),
    Cm5(levels=3, u=(2, 3, 1)),
]
TREES = [
    Lcan(d=4, u=2, levels=3, interconnect="tree"),
    Lcan(d=3, u=1, levels=3, interconnect="tree"),
    Lcan(d=6, u=2, levels=2, interconnect="tree"),
    FatTree(r=(2, 2, 2, 2), u=(1, 2, 3, 1)),
    FatTree(r=(3, 2, 4), u=(2, 5, 1)),
    Lcan(d=5, u=7, levels=1),
]
every = pytest.mark.parametrize(
    "topology", [*COMPLETE, *TREES], ids=lambda topology: topology.instance_name
)
complete = pytest.mark.parametrize(
    "topology", COMPLETE, ids=lambda topology: topology.instance_name
)
