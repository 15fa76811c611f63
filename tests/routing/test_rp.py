from knotwork import Network, Rp


def test_petersen_graph_first_and_then_the_ring():
    network = Network(Rp(k=6))
    # u0 of graph 5 to v2 of graph 1: spoke, inner link, and over the dateline.
    hops = network.routing.hops(50, 17)[:-1]
    ports = [network.topology.ports[hop.port] for hop in hops]
    assert ports == ["S", "Pplus", "R", "R"]
    assert [hop.virtual_channel for hop in hops] == [0, 1, 0, 1]
    assert [hop.router for hop in hops] == [50, 55, 57, 7]


def test_half_way_round_it_goes_forward_from_even_positions_and_back_from_odd_ones():
    routing = Network(Rp(k=6)).routing
    assert routing.path(0, 30) == [0, 10, 20, 30]
    assert routing.path(10, 40) == [10, 0, 50, 40]
