import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.check.fates import packet_rows
from knotwork_sim.check.score import score
from knotwork_sim.check.simulate import simulate
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table


@pytest.mark.parametrize("pipeline", [1, 2])
@pytest.mark.parametrize("length", [1, 5])
def test_lone_packets_take_the_zero_load_latency(pipeline, length):
    """A packet a hundred cycles: none meets another."""
    network = Network.from_word(f"torus:x=4,y=4,pipeline={pipeline}")
    rng = np.random.default_rng(3)
    packets = packet_table(
        network,
        source=np.arange(16),
        destination=rng.permutation(16),
        length=np.full(16, length),
        time=100 * rng.permutation(16),
        seed=1,
    )
    record = run_model(network, Traffic(), packets, counts=True)
    rows = packet_rows(network, packets, record, score(network, packets, record), record.tally)
    assert len(rows) == 16
    for number, row in enumerate(rows.rows()):
        hops = network.topology.distance(number, int(packets.destination[number]))
        time = int(packets.time[number])
        latency = pipeline * (hops + 1) + length - 1
        assert row == {
            "packet": number,
            "source": number,
            "destination": int(packets.destination[number]),
            "length": length,
            "offered": time,
            "injected": time,
            "ejected": time + latency,
            "latency": latency,
            "hops": hops,
            "status": "delivered",
        }


def test_lost_and_refused_packets_have_rows_too():
    network = Network.from_word("lcan:d=2,u=2,levels=2,max_packet=4")
    packets = packet_table(
        network,
        source=np.array([0, 0, 3]),
        destination=np.array([3, 1, 0]),
        length=np.array([2, 9, 1]),
        time=np.array([0, 10, 2000]),
        seed=1,
    )
    record = run_model(network, Traffic(), packets, clocks=100, counts=True)
    fates = score(network, packets, record)
    rows = packet_rows(network, packets, record, fates, record.tally).rows()
    assert [row["status"] for row in rows] == ["delivered", "refused", "lost"]
    assert [row["destination"] for row in rows] == [3, None, 0]
    assert [row["injected"] for row in rows] == [0, 10, None]
    assert [row["ejected"] for row in rows[1:]] == [row["hops"] for row in rows[1:]] == [None] * 2
    assert rows[1]["length"] == 9


def test_a_multicast_has_a_row_for_each_destination():
    network = Network.from_word("hypercube:n=3,multicast=yes")
    traffic = Traffic(packets=40, multicast_share=0.5, members=(3, 3), length=(2, 2))
    result = simulate(network, traffic, engine="model")
    packets = make_packets(network, traffic)
    rows = result.packets.rows()
    assert sorted((row["packet"], row["destination"]) for row in rows) == sorted(
        packets.deliveries()
    )
    assert {row["status"] for row in rows} == {"delivered"}
    assert max(row["latency"] for row in rows) == result.latency.max
    for row in rows:
        assert (row["hops"] is None) == (row["packet"] in packets.members)
        assert row["length"] == 2


def test_one_way_use_crosses_every_level():
    network = Network.from_word("banyan:d=2,u=2,levels=3,max_packet=4")
    rows = simulate(network, Traffic(packets=30), engine="model").packets.rows()
    assert {row["hops"] for row in rows} == {2}
    assert {(row["source"] < 8) != (row["destination"] < 8) for row in rows} == {True}


def test_circuits_go_up_to_the_common_ancestor_and_down():
    network = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=4")
    result = simulate(network, Traffic(packets=30), engine="model")
    assert result.links is None
    for row in result.packets.rows():
        up = (row["source"] ^ row["destination"]).bit_length() - 1
        assert row["hops"] == 2 * up
        assert row["offered"] <= row["injected"] < row["ejected"]
