import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import rustworkx
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork_sim.search.figures import figures
from knotwork_sim.search.graph_files import WRITERS, graph_kind
from knotwork_sim.search.graphs import circulant, links_of
from knotwork_sim.search.improve import EVERYWHERE

TABLE = circulant(12, (1, 3, 6))
LINKS = [tuple(link) for link in links_of(TABLE).tolist()]


def test_edges_are_two_numbers_a_line():
    text = WRITERS[".edges"](TABLE, "c")
    assert [tuple(map(int, line.split())) for line in text.splitlines()] == LINKS


def test_node_link_json_is_read_back(tmp_path):
    (tmp_path / "c.json").write_text(WRITERS[".json"](TABLE, "c"))
    graph = rustworkx.from_node_link_json_file(str(tmp_path / "c.json"))
    assert graph.num_nodes() == 12
    assert sorted(graph.edge_list()) == LINKS


def test_graphml_is_read_back(tmp_path):
    text = WRITERS[".graphml"](TABLE, "c")
    (tmp_path / "c.graphml").write_text(text)
    (graph,) = rustworkx.read_graphml(str(tmp_path / "c.graphml"))
    assert graph.num_nodes() == 12
    assert sorted(tuple(sorted(edge)) for edge in graph.edge_list()) == LINKS
    assert ET.fromstring(text)[0].get("edgedefault") == "undirected"


@pytest.mark.parametrize("ending", WRITERS)
def test_networks_are_made_of_the_files(ending, tmp_path):
    path = tmp_path / f"best{ending}"
    path.write_text(WRITERS[ending](TABLE, "c"))
    topology = Network.from_words(["graph", f"file={path}"]).topology
    found = figures(TABLE, EVERYWHERE)
    assert (topology.nodes, topology.diameter) == (12, found.diameter)
    assert topology.average_distance == pytest.approx(found.average_distance)


def test_another_ending_is_refused():
    assert graph_kind(Path("a.EDGES")) == ".edges"
    with pytest.raises(ConfigurationError) as refused:
        graph_kind(Path("best.txt"))
    assert str(refused.value) == (
        "best.txt: a graph must end in .edges, .graphml or .json, not '.txt'"
    )
