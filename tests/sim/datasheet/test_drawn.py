import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.datasheet import drawn
from knotwork_sim.datasheet.drawn import drawing, graph


def of(words):
    return Network.from_words(words.split())


@pytest.mark.parametrize("words", ["moebius n=3", "lcan d=2 u=2 levels=2", "torus x=2 y=3"])
def test_every_channel_has_its_link_in_the_drawing(words, monkeypatch):
    network = of(words)
    told = graph(network)
    svg = drawing(network, words)["svg"]
    monkeypatch.setattr(drawn, "MOST_ELEMENTS", 0)
    places = drawing(network, words)
    named = {line[0] for line in places["lines"]}
    for router, port, far, far_port in told["links"]:
        first = min((router, port), (far, far_port))
        name = f"link-{first[0]}-{first[1]}"
        assert name in named
        assert f'id="{name}"' in svg
    for router, port, _ in told["attached"]:
        assert f"link-{router}-{port}" in named
    boxes = {box[0] for box in places["boxes"]}
    assert {f"router-{router}" for router in range(network.topology.routers)} <= boxes
    if told["attached"]:
        assert {f"node-{node}" for node in range(network.topology.nodes)} <= boxes
    assert all(line[1].startswith("M") and line[2].startswith("#") for line in places["lines"])


def test_a_graph_names_nodes_routers_and_ports():
    told = graph(of("hypercube n=2"))
    assert told["nodes"] == ["00", "01", "10", "11"]
    assert told["ports"] == ["local", "dim0", "dim1"]
    assert [0, 1, 1, 1] in told["links"]


def test_a_network_too_large_for_a_drawing_is_refused():
    with pytest.raises(ConfigurationError, match="to be drawn, not 4096"):
        drawing(of("hypercube n=12"), "hypercube n=12")
