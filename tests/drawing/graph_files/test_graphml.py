"""GraphML documents, read back by rustworkx and as XML."""

from xml.etree import ElementTree as ET

import rustworkx
from knotwork.drawing.graph_files.graphml import NAMESPACE, Document, Keys

KEYS = Keys(
    of_vertex={"label": "string", "on": "boolean"},
    of_edge={"label": "string", "weight": "int"},
    of_graph={"label": "string"},
)


def made(**more):
    document = Document("g", KEYS, directed=True, facts={"label": 'a <b> & "c"', **more})
    document.add_vertex("u", {"label": "<&>", "on": True})
    document.add_vertex('v"', {"label": None, "on": False})
    document.add_edge("u", 'v"', {"label": "x", "weight": 3})
    document.add_edge('v"', "u", {})
    return document.text()


def test_what_is_written_is_read_back(tmp_path):
    file = tmp_path / "g.graphml"
    file.write_text(made())
    (graph,) = rustworkx.read_graphml(str(file))
    assert isinstance(graph, rustworkx.PyDiGraph)
    assert graph.attrs["label"] == 'a <b> & "c"'
    assert [(vertex["id"], vertex.get("label"), vertex["on"]) for vertex in graph.nodes()] == [
        ("u", "<&>", True),
        ('v"', None, False),
    ]
    assert graph.edge_list() == [(0, 1), (1, 0)]
    assert (graph.edges()[0]["label"], graph.edges()[0]["weight"]) == ("x", 3)


def test_equal_names_have_keys_of_their_own():
    root = ET.fromstring(made().encode())
    keys = [key.attrib for key in root.iter(f"{{{NAMESPACE}}}key")]
    assert len({key["id"] for key in keys}) == len(keys) == 5
    assert [(key["for"], key["attr.name"]) for key in keys if key["attr.name"] == "label"] == [
        ("node", "label"),
        ("edge", "label"),
        ("graph", "label"),
    ]
    used = {data.get("key") for data in root.iter(f"{{{NAMESPACE}}}data")}
    assert used == {key["id"] for key in keys}


def test_an_undirected_graph_says_so():
    text = Document("g", KEYS, directed=False).text()
    assert 'edgedefault="undirected"' in text
    assert ET.fromstring(text.encode()).find(f"{{{NAMESPACE}}}graph") is not None
