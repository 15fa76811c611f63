import numpy as np
import pytest
from knotwork import Hypercube, Network
from knotwork_sim.traffic.endpoints import accepted_all, drive, make_endpoints
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORK = Network(Hypercube(n=3))
NODES = 8
CLOCKS = 4000


def endpoints(**keys):
    """Sources that always have a beat to send, unless `keys` say otherwise."""
    traffic = Traffic(**{"rate": 1.0, "packets": 8 * CLOCKS} | keys)
    packets = make_packets(NETWORK, traffic)
    packets.time[:] = 0
    return make_endpoints(packets, traffic), packets


def run(ends, ready, clocks=CLOCKS):
    """What `drive` decides in each cycle, `ready` answering for the network."""
    offered, taking = [], []
    for clock in range(clocks):
        drive(ends, clock)
        offered.append(ends.offered.copy())
        taking.append(ends.taking.copy())
        accepted_all(ends, ready(clock), clock)
    return np.array(offered), np.array(taking)


def always(clock):
    return np.ones(NODES, np.bool_)


def test_beats_go_out_in_order_and_each_once_and_stay_until_they_are_accepted():
    ends, packets = endpoints(bubble=0.3, length=(1, 4), packets=400)
    seen = {node: [] for node in range(NODES)}
    assert (ends.injected == -1).all()
    injected, held = np.full(400, -1), np.zeros(NODES, np.bool_)
    rng = np.random.default_rng(1)
    for clock in range(3000):
        before = ends.packet.copy(), ends.beat.copy()
        drive(ends, clock)
        assert (ends.offered | ~held).all()
        assert (ends.packet == before[0]).all()
        assert (ends.beat == before[1]).all()
        ready = rng.random(NODES) < 0.5
        for node in np.nonzero(ends.offered & ready)[0].tolist():
            seen[node].append((int(ends.packet[node]), int(ends.beat[node])))
            if ends.beat[node] == 0:
                injected[ends.packet[node]] = clock
        held = ends.offered & ~ready
        accepted_all(ends, ready, clock)
    for node in range(NODES):
        own = range(packets.first_packet[node], packets.first_packet[node + 1])
        assert seen[node] == [(p, beat) for p in own for beat in range(packets.length[p])]
    assert (ends.injected == injected).all()
    assert (injected >= 0).all()
    drive(ends, 3000)
    assert not ends.offered.any()


def test_a_packet_is_offered_from_its_time_on_and_not_before():
    ends, packets = endpoints(packets=8)
    packets.time[:] = 17
    offered, _ = run(ends, always, clocks=20)
    first = packets.first_packet
    busy = first[:-1] < first[1:]
    assert not offered[:17].any()
    assert (offered[17] == busy).all()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("key", ["bubble", "stall"])
def test_pauses_have_the_share_that_their_key_says(key, share):
    ends, _ = endpoints(**{key: share}, seed=3)
    found = dict(zip(("bubble", "stall"), run(ends, always), strict=True))
    margin = 5 * (share * (1 - share) / CLOCKS) ** 0.5
    assert np.abs(found.pop(key).mean(axis=0) - (1 - share)).max() <= margin
    (other,) = found.values()
    assert other.all()


def test_changing_pauses_have_a_share_of_their_own_for_64_cycles():
    """Shares are uniform over 0..1; one period shows its share within 0.06 (one sigma)."""
    keys = {"bubble": 0.1, "stall": 0.9, "pauses": "changing", "seed": 3}
    for decisions in run(endpoints(**keys, packets=9 * CLOCKS)[0], always):
        shares = decisions[: CLOCKS // 64 * 64].reshape(-1, 64, NODES).mean(axis=1)
        for tenth in range(10):
            assert ((shares > 0.1 * tenth - 0.05) & (shares < 0.1 * tenth + 0.15)).any(axis=0).all()
        assert abs(shares.mean() - 0.5) < 5 / (12 * shares.size) ** 0.5
        assert np.abs(np.diff(shares, axis=0)).mean() > 0.1  # 1/3 for independent shares
        assert np.abs(np.diff(shares, axis=1)).mean() > 0.1


def test_pauses_do_not_change_where_there_are_none():
    offered, taking = run(endpoints(pauses="changing", packets=9 * CLOCKS)[0], always, 500)
    assert taking.all()
    assert offered.all()


def test_stalls_are_a_function_of_seed_node_and_cycle_alone():
    def stalls(ready, **keys):
        return run(endpoints(stall=0.5, **keys)[0], ready, 500)[1]

    def never(clock):
        return np.zeros(NODES, np.bool_)

    first = stalls(always)
    assert (first == stalls(never, bubble=0.7, length=(1, 9))).all()
    assert 0.4 < np.mean(first != stalls(always, seed=2)) < 0.6
    assert 0.4 < np.mean(first[:, 0] != first[:, 1]) < 0.6
    assert 0.4 < np.mean(first[1:] != first[:-1]) < 0.6


def test_bubbles_are_a_function_of_seed_node_and_cycle_alone():
    def fresh(clock):
        ends, _ = endpoints(bubble=0.5)
        drive(ends, clock)
        return ends.offered

    offered, _ = run(endpoints(bubble=0.5, packets=9 * CLOCKS)[0], always, 500)
    assert all((offered[clock] == fresh(clock)).all() for clock in range(0, 500, 7))


def test_bubbles_and_stalls_are_not_alike():
    offered, taking = run(endpoints(bubble=0.5, stall=0.5)[0], always)
    assert 0.45 < np.mean(offered == taking) < 0.55
