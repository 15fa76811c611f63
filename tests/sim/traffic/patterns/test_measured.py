import numpy as np
import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.traffic.given import RateMatrix
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.patterns.measured import Measured

CUBE = Network(Hypercube(n=3))
MANY = 60_000
RATES = np.random.default_rng(5).integers(0, 5, (8, 8)) * np.array([[1, 2, 3, 1, 0, 1, 1, 1]]).T


def test_pairs_have_their_shares_by_chi_square():
    packets = make_packets(CUBE, Traffic(traffic="matrix", matrix=RATES, packets=MANY))
    counts = np.bincount(packets.source * 8 + packets.destination, minlength=64).reshape(8, 8)
    expected = MANY * RATES / RATES.sum()
    assert (counts[RATES == 0] == 0).all()
    assert counts[4].sum() == 0  # a row of zeros sends nothing
    chi_square = ((counts - expected)[RATES > 0] ** 2 / expected[RATES > 0]).sum()
    freedom = (RATES > 0).sum() - 1
    assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5


def test_the_mean_rate_of_all_nodes_is_as_asked():
    traffic = Traffic(traffic="matrix", matrix=RATES, packets=MANY, rate=0.3, length=(1, 3))
    packets = make_packets(CUBE, traffic)
    assert packets.length.sum() / (8 * packets.time.max()) == pytest.approx(0.3, rel=0.03)


def test_a_rate_that_the_busiest_node_cannot_offer_is_refused():
    rows = [[0] * 8 for _ in range(8)]
    rows[0][1], rows[1][2] = 3, 1
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(CUBE, Traffic(traffic="matrix", matrix=rows, rate=0.2))
    assert str(refusal.value) == (  # 8 nodes, 3 / 4 of all from one of them
        "traffic: rate must be at most 0.1667 where the busiest node offers 6 times the mean, "
        "not 0.2"
    )
    fine = make_packets(CUBE, Traffic(traffic="matrix", matrix=rows, rate=1 / 6, packets=400))
    assert set(zip(fine.source.tolist(), fine.destination.tolist(), strict=True)) == {
        (0, 1),
        (1, 2),
    }


def test_a_matrix_for_other_networks_is_refused():
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(CUBE, Traffic(traffic="matrix", matrix=np.ones((4, 4))))
    assert str(refusal.value) == (
        "traffic: matrix must have 8 rows and columns for hypercube_n3, not 4"
    )


def test_its_load_is_that_of_its_rates():
    rows = np.zeros((8, 8))
    rows[0, 7], rows[1, 7] = 3, 1
    load = channel_load(CUBE, Traffic(traffic="matrix", matrix=rows))
    assert load.largest == pytest.approx(8)  # all of eight nodes' flits end at node 7
    assert load.average_hops == pytest.approx(0.75 * 3 + 0.25 * 2)
    alone = channel_load(CUBE, Traffic(traffic="matrix", matrix=np.diag([1, 0] * 4)))
    assert alone.largest == pytest.approx(2)  # half of the nodes send to themselves, twice the mean


def test_a_certain_destination_is_always_drawn():
    rows = np.zeros((3, 3))
    rows[0, 2] = rows[1, 0] = rows[2, 1] = 1e-300
    drawn = Measured(RateMatrix.of(rows)).draw(np.random.default_rng(1), np.array([2, 0, 1, 0]))
    assert drawn.tolist() == [1, 2, 0, 2]
