import numpy as np
import pytest
from knotwork import Network
from knotwork.emit.loading import word_fields
from knotwork_sim.scoreboard.score import score
from knotwork_sim.traffic.make import make_packets
from quality.mutation.batches import make_changing_batches
from quality.mutation.loads import LOADS, traffic_of, vary
from quality.mutation.runs import APART, beats, entries, job_bytes, make_runs, make_runs_beside


@pytest.mark.parametrize("word", ["hypercube:n=2", "hypercube:n=2,router=deflection"])
def test_every_packet_of_every_run_is_delivered_by_the_model(word):
    network = Network.from_word(word)
    for run in make_runs(network, crowd=30):
        result = score(network, run.packets, run.expected)
        assert result.lost == result.misrouted == 0
        assert result.delivered > 30


def varied(word, load):
    """Network, packets of a load, and the same with some that cannot be sent."""
    network = Network.from_word(word)
    packets = make_packets(network, traffic_of(network, load, 1))
    return network, packets, vary(network, packets, load, 1)


def test_packets_go_to_their_own_node_too_and_some_are_refused():
    load = LOADS[1]._replace(packets=40, spoiled=0.2)
    network, _, packets = varied("mesh:x=3,y=3,data_width=8", load)
    assert 10 < (packets.destination == packets.source).sum() < 80
    assert 30 < packets.refused.sum() < 120
    heads = beats(network, packets)[packets.first_flit[:-1], 2]
    assert set(heads[packets.refused]) <= set(network.topology.unused_addresses)
    assert not set(heads[~packets.refused]) & set(network.topology.unused_addresses)


def test_packets_for_another_class_are_refused():
    load = LOADS[1]._replace(packets=40, spoiled=0.2)
    network, _, packets = varied("mesh:x=2,y=2,classes=2,data_width=8", load)
    assert 30 < packets.refused.sum() < 120
    heads = beats(network, packets)[packets.first_flit[:-1], 2]
    is_other = heads % 2 != packets.source // 4
    assert (is_other == packets.refused).all()


def test_too_long_packets_are_refused_where_there_is_a_limit():
    word = "wk:w=3,levels=1,data_width=8,buffer_depth=3"
    _, _, packets = varied(word, LOADS[0]._replace(spoiled=0.5))
    assert (packets.length[packets.broadcast & packets.refused] > 3).all()
    assert (packets.length[packets.broadcast & ~packets.refused] <= 3).all()
    assert (packets.broadcast & packets.refused).any()
    # A unicast may have any length.
    long = ~packets.broadcast & (packets.length > 3)
    assert (long & ~packets.refused).sum() > 5


CHAINS = "hypercube:n=3,multicast=yes,max_packet=8,data_width=8"


def test_multicasts_with_a_wrong_chain_or_too_many_beats_are_refused():
    network, sound, packets = varied(CHAINS, LOADS[8]._replace(spoiled=0.3))
    assert not sound.refused.any()
    assert (packets.refused <= packets.multicast).all()
    refused = np.flatnonzero(packets.refused).tolist()
    assert 0.2 < len(refused) / packets.multicast.sum() < 0.4
    long = [number for number in refused if packets.length[number] > 8]
    wrong = {n: packets.chains[n] for n in refused if packets.chains[n] != sound.chains[n]}
    assert sorted([*long, *wrong]) == refused
    repeated = [n for n, chain in wrong.items() if len(set(chain)) < len(chain)]
    own = [n for n in wrong if network.topology.address(int(packets.source[n])) in wrong[n]]
    assert sorted(repeated + own) == sorted(wrong)
    assert min(map(len, (long, repeated, own))) > 5


def test_long_chains_name_more_than_half_as_many_nodes_as_they_can():
    _, packets, _ = varied(CHAINS, next(load for load in LOADS if load.long_chains))
    assert {len(chain) for chain in packets.chains.values()} == {4, 5, 6}  # and 2 flits of data


def test_batches_have_right_wrong_and_broken_tables():
    network = Network.from_word("ccc:n=3,routing=lc2,words=2")
    packets = make_changing_batches(network, seed=1, batches=12)
    assert {len(loading.entries) for loading in packets.loadings} == {2, 3, 4}
    assert len(packets.loadings) == 12 + 3
    (run, *_) = make_runs(network)
    assert run.expected.user.any()
    refused = int(run.packets.refused.sum())
    assert set(run.packets.length[run.packets.refused]) == {1, 3, 4, 5, 6}
    assert len(run.expected.refused) == refused > 5
    assert len(run.expected.clock) == 2 * (len(run.packets) - refused)
    assert len(run.expected.status) > 24


def test_what_the_golden_model_does_not_follow_runs_beside_the_original():
    assert make_runs_beside(Network.from_word("mesh:x=2,y=2,data_width=8")) == []
    word = "mesh:x=2,y=2,parity=yes,counters=yes,tables=loaded,data_width=8"
    network = Network.from_word(word)
    runs = make_runs_beside(network)
    assert all(run.beside for run in runs)
    kinds = {(run.upsets, bool(run.words)) for run in runs}
    assert kinds == {(False, True), (True, False), (True, True)}
    for run in runs:
        if not run.words:
            continue
        times = [time for time, _, _ in run.words if time >= 0]
        assert sorted(times) == times
        assert times[-1] < run.expected.clocks + APART
        assert entries(network, run)[0, 0] == times[0]
    assert job_bytes(network, runs[:1])
    bits = make_runs_beside(Network.from_word("hypercube:n=2,counters=yes,data_width=8"))
    assert not any(run.upsets or run.words for run in bits)


def test_loads_fill_both_banks_and_cut_and_revive_links():
    network = Network.from_word("mesh:x=2,y=2,tables=loaded,data_width=8")
    words = [word for run in make_runs_beside(network)[:3] for word in run.words]
    loads, begin = [], 0
    for end, (_, _, is_last) in enumerate(words, 1):
        if is_last:
            loads.append([word_fields(network, word) for _, word, _ in words[begin:end]])
            begin = end
    assert begin == len(words)
    dead = [[fields for fields in load if fields["dead"]] for load in loads]
    written = [len(load) - len(one) for load, one in zip(loads, dead, strict=True)]
    # From every node to every node, and on from the links.
    assert min(written[:2]) > 16
    assert {0, 1} < set(written)
    assert {len(one) for one in dead} == {0, 2}  # both ends of a link
    ends = {(one["router"], one["output.port"]) for load in dead for one in load}
    assert len(ends) == 8  # every link at both ends
