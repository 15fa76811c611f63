"""What an arrival is, by what is due and what has come."""

import numpy as np
from knotwork_sim.scoreboard.deliveries import Deliveries, contents_of


def test_an_arrival_is_what_is_due_at_its_node_or_wrong_in_a_named_way():
    due = Deliveries()
    due.add("a", 0, 5)
    due.add("a", 1, 5)
    due.add("a", 2, 6)
    due.add("b", 3, 6)
    assert due.fate("a", 5) == ("delivered", (0, 1))
    assert due.fate("b", 5) == ("misrouted", (3,))
    assert due.fate("c", 5) == ("corrupted", ())
    due.deliver("b", 3, 6)
    assert due.fate("b", 6) == ("duplicated", (3,))
    assert due.fate("b", 5) == ("misrouted", (3,))
    assert due.left() == [(0, 5), (1, 5), (2, 6)]
    assert due.number == 3


def test_what_is_withdrawn_is_neither_due_nor_has_it_come():
    due = Deliveries()
    due.add("a", 0, 5)
    due.withdraw("a", 0, 5)
    assert (due.number, due.left()) == (0, [])
    assert due.fate("a", 5).name == "corrupted"


def test_the_contents_of_packets_are_their_rows():
    words = np.arange(6, dtype=np.uint64).reshape(3, 2)
    first, second = contents_of(words, np.array([0, 2]), np.array([2, 3]))
    assert [int.from_bytes(first[at : at + 8], "little") for at in (0, 8, 16, 24)] == [0, 1, 2, 3]
    assert len(second) == 16
