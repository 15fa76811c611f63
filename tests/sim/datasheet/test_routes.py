import base64
import zlib

import numpy as np
import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.datasheet import routes as module
from knotwork_sim.datasheet.routes import route_table, routes


def unpacked(letters):
    return zlib.decompress(base64.b64decode(letters))


@pytest.mark.parametrize("words", ["moebius n=3 twist=1", "lcan d=2 u=2 levels=2"])
def test_paths_are_those_of_the_routing(words):
    network = Network.from_words(words.split())
    told = iter(unpacked(routes(network, words)["paths"]))
    nodes = range(network.topology.nodes)
    for source in nodes:
        for destination in nodes:
            hops = network.routing.hops(source, destination)
            read = [(next(told), next(told)) for _ in range(next(told))]
            assert read == [(hop.port, hop.virtual_channel) for hop in hops]
    assert list(told) == []


@pytest.mark.parametrize("words", ["ccc n=4", "torus x=5 y=4", "hypercube n=3 routing=updown"])
def test_a_table_leads_every_packet_its_way(words):
    network = Network.from_words(words.split())
    topology, classes = network.topology, network.routing.classes
    nodes, ports = topology.nodes, len(topology.ports)
    table = route_table(network)
    other = dict(zip(table.states.tolist(), table.symbols.tolist(), strict=True))
    for source in range(nodes):
        for destination in range(nodes):
            router, port, vc_class = topology.router_of(source), topology.node_port(source), 0
            for hop in network.routing.hops(source, destination):
                assert hop.router == router
                state = ((router * ports + port) * classes + vc_class) * nodes + destination
                symbol = other.get(state, int(table.cells[router, destination]))
                output, vc_class = divmod(symbol, classes)
                assert (output, vc_class) == (hop.port, hop.virtual_channel)
                port = int(topology.peer_ports[router, output])
                router = int(topology.neighbours[router, output])


def test_states_are_few_where_the_router_decides_alone_and_lanes_have_a_table(monkeypatch):
    assert len(route_table(Network.from_words(["hypercube", "n=4"])).states) == 0
    assert len(route_table(Network.from_words(["ccc", "n=4"])).states) > 0
    monkeypatch.setattr(module, "MOST_PATHS", 0)
    network = Network.from_words(["hypercube", "n=3", "virtual_channels=4"])
    told = routes(network, "hypercube n=3 virtual_channels=4")
    lanes = np.frombuffer(unpacked(told["lanes"]), np.uint8).reshape(8, 8)
    assert len(set(lanes.ravel().tolist())) > 1
    hop = network.routing.hops(3, 5)[0]
    assert lanes[3, 5] == hop.virtual_channel


MANY = "for a page with all routes, not %d; knotwork route NET SRC DST shows one"


@pytest.mark.parametrize(
    ("words", "limit", "line"),
    [
        ("hypercube n=11", None, "hypercube_n11: nodes must be at most 1024 " + MANY % 2048),
        ("lcan d=2 u=2 levels=8 name=a", None, "a: nodes must be at most 128 " + MANY % 256),
        ("hypercube n=3", 10, "hypercube_n3: a table of all routes must have at most 10"),
    ],
)
def test_too_many_routes_are_refused(words, limit, line, monkeypatch):
    if limit is not None:
        monkeypatch.setattr(module, "MOST_PATHS", 0)
        monkeypatch.setattr(module, "MOST_BYTES", limit)
    with pytest.raises(ConfigurationError) as refused:
        routes(Network.from_words(words.split()), "NET")
    assert str(refused.value).startswith(line)
