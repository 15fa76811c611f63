from knotwork import Network
from knotwork_sim.check.score import score
from quality.mutation.runs import make_runs


def test_every_packet_of_every_run_is_delivered_by_the_model():
    for word in ("hypercube:n=2", "wk:w=3,levels=2", "hypercube:n=2,router=deflection"):
        network = Network.from_word(word)
        for _, packets, expected in make_runs(network, crowd=30):
            result = score(network, packets, expected)
            assert result.lost == result.misrouted == 0
            assert result.delivered > 30
