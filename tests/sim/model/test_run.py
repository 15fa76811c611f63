from knotwork import Hypercube, Moebius, Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork_sim.model.run import MODELS, run_log, run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


def test_every_router_class_has_its_model():
    assert MODELS.keys() == ROUTER_PARAMETERS.keys()


def test_a_run_ends_after_the_cycles_it_is_given():
    network = Network(Hypercube(n=2))
    traffic = Traffic(rate=0.5, packets=1000)
    packets = make_packets(network, traffic)
    whole, part = (run_model(network, traffic, packets, clocks=c) for c in (10**6, 100))
    assert part.clocks == 100
    beats = len(part.clock)
    assert 0 < beats < 1000
    assert (part.rows() == whole.rows()[:beats]).all()
    assert whole.clock[beats] >= 100


def test_records_of_one_seed_are_equal():
    network = Network(Moebius(n=3))
    traffic = Traffic(rate=0.6, packets=500, length=(1, 5), stall=0.3)
    one, two = (run_model(network, traffic, make_packets(network, traffic)) for _ in "ab")
    assert (one.rows() == two.rows()).all()
    assert one.clocks == two.clocks


def test_a_log_is_the_record_without_payloads():
    network = Network(Hypercube(n=3))
    traffic = Traffic(rate=0.5, packets=200, length=(1, 4))
    packets = make_packets(network, traffic)
    run, record = run_log(network, traffic, packets), run_model(network, traffic, packets)
    assert (run.log.clock == record.clock).all()
    assert (run.log.node == record.node).all()
    assert (packets.source[run.log.packet] == record.source).all()
    assert run.clocks == record.clocks
