"""What `describe` tells of classes of traffic."""

import pytest
from knotwork import Network
from knotwork.cli.priorities import bound_cell, priorities


@pytest.mark.parametrize(
    ("keys", "told", "cell"),
    [
        ("", None, None),
        (
            ",classes=2",
            {"class": 1, "packet": None, "cycles": None, "buffer_depth": None,
             "reason": "nothing limits what the nodes send"},
            "none for class 1: nothing limits what the nodes send",
        ),
        (
            ",classes=3,class_limits=1,1,1/256",
            {"class": 2, "packet": 1, "cycles": 6, "buffer_depth": 6, "reason": None},
            "6 cycles in the network for packets of class 2, of up to 1 flit",
        ),
        (
            ",classes=2,class_limits=1,1/256,pipeline=3",
            {"class": 1, "packet": 1, "cycles": 7, "buffer_depth": 7, "reason": None},
            "7 cycles in the network for packets of class 1, of up to 1 flit",
        ),
        (
            ",classes=2,class_limits=1,1/100,class_bursts=1,2",
            {"class": 1, "packet": 2, "cycles": 11, "buffer_depth": 7, "reason": None},
            "11 cycles in the network for packets of class 1, of up to 2 flits",
        ),
        (
            ",classes=2,class_limits=1,1/100,arbitration=weighted",
            {"class": 1, "packet": 1, "cycles": None, "buffer_depth": None,
             "reason": "the bound is that of arbitration=strict"},
            "none for class 1: the bound is that of arbitration=strict",
        ),
    ],
)  # fmt: skip
def test_tells_the_bound_of_the_highest_class(keys, told, cell):
    found = priorities(Network.from_word(f"mesh:x=2,y=1{keys}"))
    assert found.get("latency_bound") == told
    if told is not None:
        assert bound_cell(found["latency_bound"]) == cell
