from knotwork import Network
from quality.mutation.batches import make_changing_batches
from quality.mutation.runs import make_runs


def test_batches_have_right_wrong_and_broken_tables():
    network = Network.from_word("ccc:n=3,routing=lc2,words=2")
    packets = make_changing_batches(network, seed=1, batches=12)
    lengths = {len(loading.entries) for loading in packets.loadings}
    assert lengths == {2, 3, 4}
    assert len(packets.loadings) == 12 + 3
    (run, *_) = make_runs(network)
    assert run.expected.user.any()
    refused = int(run.packets.refused.sum())
    assert set(run.packets.length[run.packets.refused]) == {1, 3, 4, 5, 6}
    assert len(run.expected.refused) == refused > 5
    assert len(run.expected.clock) == 2 * (len(run.packets) - refused)
    assert len(run.expected.status) > 24
