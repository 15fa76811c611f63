import numpy as np
from knotwork import Network
from knotwork_sim.model.record import PATIENCE, Record, TakenBeat, patience_with


def test_patience_is_what_the_routing_promises():
    # 36 routers, 144 links: a turn of 8192 hops of two cycles, 64 addresses, two phases.
    torus = Network.from_word("torus:x=6,y=6,router=deflection")
    assert torus.routing.most_hops == 2 * 8192 * 64
    assert patience_with(torus) == 2 * torus.routing.most_hops
    assert patience_with(Network.from_word("torus:x=6,y=6")) == PATIENCE
    assert patience_with(Network.from_word("hypercube:n=20,router=deflection")) == 2**62


def test_a_record_of_single_beats_holds_them_and_what_came_with_them():
    beats = [TakenBeat(4, 1, 9, 0, 2, (7 << 64) + 5), TakenBeat(6, 0, 8, 1, 0, 3)]
    record = Record.from_beats(beats, [(5, 1)], status=[(0, 16)], words=2, clocks=20)
    assert record.rows().tolist() == [[4, 1, 9, 0, 2, 5, 7], [6, 0, 8, 1, 0, 3, 0]]
    assert record.refused.tolist() == [[5, 1]]
    assert record.status.tolist() == [[0, 16]]
    assert (record.clocks, record.network_cycles) == (20, None)


def test_a_record_may_be_empty():
    record = Record.from_beats([], [], words=3, clocks=1)
    assert record.rows().shape == (0, 8)
    assert record.refused.shape == record.status.shape == (0, 2)
    assert record.rows().dtype == np.uint64
