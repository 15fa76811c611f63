"""Graphs from files: all formats, and one line for each that is wrong."""

import json
import time
from collections import Counter

import numpy as np
import pytest
import rustworkx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Graph, GraphFile
from knotwork.errors import ConfigurationError
from knotwork.topology.graph_file import builder, formats
from knotwork.topology.graph_file.builder import Link, join_links, unreached_pair, wire_links

GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{keys}'
    '<graph edgedefault="{way}directed">\n{body}\n</graph></graphml>\n'
)
KEYS = (
    '<key id="d0" for="node" attr.name="label" attr.type="string"/>\n'
    '<key id="d1" for="all" attr.name="kind" attr.type="string"><default>router</default></key>\n'
    '<key id="d2" for="node" attr.name="nodes" attr.type="int"/>\n'
    '<key id="d3" for="edge" attr.name="latency" attr.type="int"/>\n'
    '<key id="y" for="node" yfiles.type="nodegraphics"/>\n'
)


def graphml(body, *, way="un"):
    return GRAPHML.format(keys=KEYS, way=way, body=body)


def read(folder, name, text):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return GraphFile.read(file)


def shown(file):
    """Routers, nodes and links as plain data, latencies where they are not 1."""
    links = [tuple(link[:3] if link.latency == 1 else link) for link in file.links]
    return list(file.routers), list(file.nodes), links


RING = (["0", "1", "2"], [("0", 0), ("1", 1), ("2", 2)], [(0, 1, True), (1, 2, True), (2, 0, True)])
"""Three routers in a ring."""

TRIANGLES = {
    "a.edges": "# three\n0 1\n\n1 2 1 # the second\n2 0\n",
    "a.json": json.dumps(
        {
            "nodes": [{"id": 0}, {"id": 1}, {"id": 2}],
            "links": [
                {"source": 0, "target": 1},
                {"source": 1, "target": 2, "latency": 1},
                {"source": 2, "target": 0},
            ],
        }
    ),
    "a.graphml": graphml(
        '<node id="0"/><node id="1"><data key="y"><y:Shape xmlns:y="y">7</y:Shape></data></node>'
        '<node id="2"/><edge source="0" target="1"/>'
        '<edge source="1" target="2"><data key="d3">1</data></edge><edge source="2" target="0"/>'
    ),
    "a.GraphML": graphml(
        '<node id="0"/><node id="1"/><node id="2"/><edge directed="false" source="0" target="1"/>'
        '<edge source="1" target="2"/><edge source="2" target="1"/>'
        '<edge source="2" target="0"/><edge source="0" target="2"/>',
        way="",
    ),
}


@pytest.mark.parametrize("name", TRIANGLES)
def test_every_format_reads_a_ring(tmp_path, name):
    assert shown(read(tmp_path, name, TRIANGLES[name])) == RING


def test_matrices_and_lists_of_links(tmp_path):
    text = "0,2,1\n1,0,0\n0,1,0\n"
    links = [(0, 1, True), (0, 1, False), (0, 2, False), (2, 1, False)]
    assert shown(read(tmp_path, "a.csv", text)) == (RING[0], RING[1], links)
    file = read(tmp_path, "a.edges", "0 -> 1\n1 -> 2\n2 -> 0\n1 -> 0\n")
    assert shown(file)[2] == [(0, 1, True), (1, 2, False), (2, 0, False)]
    file = read(tmp_path, "a.edges", "0 -> 1 3\n1 -> 0 3\n1 -> 2 2\n2 -> 1\n")
    assert shown(file)[2] == [(0, 1, True, 3), (1, 2, False, 2), (2, 1, False)]


@pytest.mark.parametrize("text", ["a,b\n0,1\n1,0\n", ",a,b\na,0,1\nb,1,0\n"])
def test_a_matrix_may_name_its_routers(tmp_path, text):
    file = read(tmp_path, "a.csv", text)
    assert (file.routers, file.links) == (("a", "b"), ((0, 1, True, 1),))


def test_a_latency_of_anynet_is_that_of_one_direction(tmp_path):
    text = "router 0 node 0 router 1 16\nrouter 1 node 1\n"
    links = [(0, 1, False, 16), (1, 0, False)]
    assert sorted(shown(read(tmp_path, "a.anynet", text))[2]) == links
    text = "router 0 node 0 router 1 15\nrouter 1 node 1 router 0 3 router 2\nrouter 2 node 2\n"
    links = [(0, 1, False, 15), (1, 0, False, 3), (1, 2, True)]
    assert sorted(shown(read(tmp_path, "a.anynet", text))[2]) == links


def test_a_matrix_may_write_its_counts_with_a_point(tmp_path):
    file = read(tmp_path, "a.csv", "0.0,1.0\n1.,0\n")
    assert (file.routers, file.links) == (("0", "1"), ((0, 1, True, 1),))


def test_a_matrix_may_be_written_as_other_programs_do(tmp_path):
    """As NumPy's `savetxt`, spreadsheets and pandas' `to_csv` write it."""
    counts = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    expected = [(0, 1, True), (0, 1, True), (1, 2, True)]
    for keys in ({}, {"fmt": "%d"}, {"delimiter": ";"}, {"delimiter": "\t"}, {"fmt": "%4d"}):
        np.savetxt(tmp_path / "a.csv", counts, **keys)
        assert shown(GraphFile.read(tmp_path / "a.csv")) == (*RING[:2], expected)
    pandas = ",0,1,2\n" + "".join(f"{row},{','.join(map(str, counts[row]))}\n" for row in range(3))
    assert shown(read(tmp_path, "a.csv", pandas)) == (*RING[:2], expected)
    named = read(tmp_path, "a.csv", "north pole;south pole\n0;1\n1;0\n")
    assert (named.routers, len(named.links)) == (("north_pole", "south_pole"), 1)


def test_a_label_need_not_be_unique_for_a_name_is(tmp_path):
    """As in the Internet Topology Zoo; then the router has its name, which is never twice."""
    text = graphml(
        "".join(
            f'<node id="{name}"><data key="d0">{label}</data></node>'
            for name, label in (("0", "Oslo"), ("1", "Lima"), ("2", "Oslo"), ("3", ""), ("x", "0"))
        )
        + '<edge source="0" target="1"/><edge source="1" target="2"/><edge source="2" target="3"/>'
        '<edge source="3" target="x"/>'
    )
    # The last is labelled as the first is named.
    assert read(tmp_path, "a.graphml", text).routers == ("0", "Lima", "2", "3", "x")
    nodes = [{"id": "r"}, *({"id": f"n{i}", "kind": "node", "label": "cpu"} for i in range(2))]
    links = [{"source": "r", "target": f"n{i}"} for i in range(2)]
    file = read(tmp_path, "a.json", json.dumps({"nodes": nodes, "links": links}))
    assert file.nodes == (("n0", 0), ("n1", 0))
    file = read(
        tmp_path,
        "a.json",
        json.dumps(
            {
                "nodes": [{"id": 1, "label": "a b"}, {"id": 2, "label": "a.b"}],
                "links": [{"source": 1, "target": 2}],
            }
        ),
    )
    assert file.routers == ("1", "2")  # as parts of names of Verilog both were a_b


@pytest.mark.parametrize("key", ["links", "edges"])
def test_grids_of_networkx(tmp_path, key):
    """As `node_link_data(grid_2d_graph(2, 2))` has them, before NetworkX 3.4 and since."""
    places = [[0, 0], [0, 1], [1, 0], [1, 1]]
    ends = [([0, 0], [1, 0]), ([0, 0], [0, 1]), ([0, 1], [1, 1]), ([1, 0], [1, 1])]
    graph = {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": place} for place in places],
        key: [{"source": source, "target": target} for source, target in ends],
    }
    routers, _, links = shown(read(tmp_path, "a.json", json.dumps(graph)))
    assert routers == ["0_0", "0_1", "1_0", "1_1"]
    assert links == [(0, 2, True), (0, 1, True), (1, 3, True), (2, 3, True)]
    graph[key].append({"source": [0, 0], "target": [2, [0, "b"]]})
    with pytest.raises(ConfigurationError) as error:
        read(tmp_path, "a.json", json.dumps(graph))
    line = f"a.json: {key}[4]: an end must be a vertex of the file, not '2_0_b'"
    assert str(error.value) == line


def test_what_a_graph_has_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(builder, "MOST_LINKS", 2)
    monkeypatch.setattr(formats, "MOST_LINKS", 1)
    with pytest.raises(ConfigurationError, match=r"^a.edges: links must be at most 2, not more$"):
        read(tmp_path, "a.edges", "0 1\n1 2\n2 0\n")
    with pytest.raises(ConfigurationError, match=r"^a.anynet: links must be at most 1, not more$"):
        read(tmp_path, "a.anynet", "router 0 node 0 router 1 router 2\n")
    monkeypatch.setattr(formats, "MOST_VERTICES", 2)
    with pytest.raises(ConfigurationError, match=r"a.graphml: vertices must be at most 2, not mor"):
        read(tmp_path, "a.graphml", TRIANGLES["a.graphml"])
    monkeypatch.setattr(formats, "MOST_VERTICES", 3)
    monkeypatch.setattr(formats, "MOST_EDGES", 2)
    with pytest.raises(ConfigurationError, match=r"a.graphml: edges must be at most 2, not more$"):
        read(tmp_path, "a.graphml", TRIANGLES["a.graphml"])
    longest = builder.LONGEST
    for name in ("a" * longest, "a" * (longest + 1)):
        for form, text in (
            ("a.json", json.dumps({"nodes": [{"id": name}], "links": []})),
            ("a.graphml", graphml(f'<node id="1"><data key="d0">{name}</data></node>')),
            ("a.csv", f",{name}\n{name},0\n"),
            ("b.json", json.dumps({"nodes": [{"id": 0}, {"id": name, "kind": "node"}],
                                   "links": [{"source": 0, "target": name}]})),
        ):  # fmt: skip
            if len(name) == longest:
                file = read(tmp_path, form, text)
                assert name in (*file.routers, file.nodes[0][0])
                continue
            with pytest.raises(ConfigurationError, match=r"name must have at most 128 "
                               r"characters, not 129$"):  # fmt: skip
                read(tmp_path, form, text)


def test_a_long_text_of_a_document_is_read_in_a_moment(tmp_path):
    lines = "\n" * 2_000_000
    text = graphml(f'<node id="1"><data key="d0">{lines}a</data></node>')
    begun = time.process_time()
    assert read(tmp_path, "a.graphml", text).routers == ("a",)
    assert time.process_time() - begun < 5  # it was quadratic


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_document_may_be_in_an_encoding_that_it_declares(tmp_path, encoding):
    text = f"<?xml version='1.0' encoding='{encoding.upper().replace('LATIN', 'ISO-8859')}'?>"
    text += '<graphml><graph><node id="M\u00f6bius"/></graph></graphml>'
    (tmp_path / "a.graphml").write_bytes(text.encode(encoding))
    assert GraphFile.read(tmp_path / "a.graphml").routers == ("M_bius",)


LONG = {
    "a.edges": "0 1 3\n1 2\n2 0 16 # far\n",
    "a.anynet": "router 0 node 0 router 1 3 router 2 16\nrouter 1 node 1 router 0 3 router 2 1\n"
    "node 2 router 2\nrouter 2 router 0 16\n",
    "a.json": json.dumps(
        {
            "nodes": [{"id": 0}, {"id": 1}, {"id": 2}],
            "links": [
                {"source": 0, "target": 1, "data": {"latency": 3.0}},
                {"source": 1, "target": 2},
                {"source": 2, "target": 0, "latency": 16},
            ],
        }
    ),
    "a.graphml": graphml(
        '<node id="0"/><node id="1"/><node id="2"/>'
        '<edge source="0" target="1"><data key="d3"> 3 </data></edge>'
        '<edge source="1" target="2"/>'
        '<edge source="2" target="0"><data key="d3">16</data></edge>'
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_every_format_but_the_matrix_tells_latencies(tmp_path, name):
    routers, nodes, links = shown(read(tmp_path, name, LONG[name]))
    assert (routers, nodes) == RING[:2]
    told = sorted((min(a, b), max(a, b), *rest) for a, b, *rest in links)
    assert told == [(0, 1, True, 3), (0, 2, True, 16), (1, 2, True)]


def test_files_are_known_by_their_content_and_have_latencies(tmp_path):
    file = GraphFile.of([(0, 1, 3), (1, 2), (2, 0, 16)])
    assert shown(file)[2] == [(0, 1, True, 3), (1, 2, True), (2, 0, True, 16)]
    plain = [
        GraphFile.of(links) for links in ([(0, 1), (1, 2), (2, 0)], [(0, 1, 1), (1, 2), (2, 0)])
    ]
    assert plain[0].digest == plain[1].digest != file.digest
    with pytest.raises(
        ConfigurationError, match=r"^graph: links\[1\]: latency must be 1\.\.16 cyc"
    ):
        GraphFile.of([(0, 1), (1, 2, 20)])
    one, other = (read(tmp_path, name, TRIANGLES[name]) for name in ("a.json", "a.graphml"))
    assert one.digest == other.digest
    assert str(one) == f"a.json (sha256 {one.digest[:12]})"
    assert one.digest != read(tmp_path, "b.edges", "0 1\n1 2\n").digest
    assert GraphFile.of([(0, 1), (1, 2), (2, 0)]).digest == one.digest
    assert Graph(file=GraphFile.of([(0, 1)], nodes=[3, 0])).nodes == 3


@pytest.mark.parametrize("name", ["a.graphml", "a.json"])
def test_nodes_by_number_and_by_vertices(tmp_path, name):
    """Router A has two nodes, B none, C the node x."""
    text = graphml(
        '<node id="a"><data key="d0">A</data><data key="d2"> 2 </data></node><node id="B"/>'
        '<node id="C"/><node id="n"><data key="d0">x</data><data key="d1">node</data></node>'
        '<edge source="a" target="B"/><edge source="B" target="C"/><edge source="n" target="C"/>'
    )
    vertices = [{"id": "a", "data": {"label": "A", "nodes": 2}}, {"id": "B"}, {"id": "C"}]
    vertices.append({"id": "n", "label": "x", "kind": "node"})
    ends = [("a", "B"), ("B", "C"), ("C", "n")]
    edges = [{"source": a, "target": b} for a, b in ends]
    if name.endswith("json"):
        text = json.dumps({"nodes": vertices, "edges": edges})
    assert shown(read(tmp_path, name, text)) == (
        ["A", "B", "C"],
        [("A.0", 0), ("A.1", 0), ("x", 2)],
        [(0, 1, True), (1, 2, True)],
    )


def test_digraphs_and_nodes_of_a_file(tmp_path):
    made = rustworkx.generators.directed_cycle_graph(5)
    made.add_edge(0, 2, None)
    for node in made.node_indices():
        made[node] = {"label": f"v {node}"}
    rustworkx.write_graphml(made, str(tmp_path / "a.graphml"))
    words = rustworkx.node_link_json(made, node_attrs=lambda facts: facts)
    assert words is not None
    links = sorted((a, b, False, 1) for a, b in made.edge_list())
    for file in (GraphFile.read(tmp_path / "a.graphml"), read(tmp_path, "a.json", words)):
        assert sorted(map(tuple, file.links)) == links
        assert file.routers == tuple(f"v_{node}" for node in range(5))
    # As the head of BookSim's anynet.cpp has it: nodes behind routers, each link named once.
    text = "router 0 node 0 node 1 router 1 1\nrouter 1 router 2 node 2 router 0\nrouter 2\n"
    assert shown(read(tmp_path, "a.anynet", text)) == (
        ["0", "1", "2"],
        [("0", 0), ("1", 0), ("2", 1)],
        [(0, 1, True), (1, 2, True)],
    )
    vertices = [{"id": 0}, {"id": 1, "nodes": 0}, {"id": 2, "nodes": 2}]
    links = [{"source": 0, "target": 1}, {"source": 1, "target": 2}]
    file = read(tmp_path, "a.json", json.dumps({"nodes": vertices, "links": links}))
    assert [router for _, router in file.nodes] == [0, 2, 2]


WRONG = {
    ("a.txt", "0 1"): "graph: file must end in .graphml, .json, .edges, .anynet or .csv, not "
    "'a.txt'",
    ("a.edges", "0 1\n2 3\n"): "a.edges: router 2 (@2) must be reachable from router 0 (@0), "
    "which has no path to it",
    ("a.edges", "1 0\n2 -> 0\n0 -> 1\n1 -> 2"): None,
    ("a.edges", "0 -> 1\n"): "a.edges: router 0 (@0) must be reachable from router 1 (@1), which "
    "has no path to it",
    ("a.edges", "0 1\n1 1\n"): "a.edges: line 2: a link must lead to another router, not from 1 "
    "to it",
    ("a.edges", "0 1 2 3\n"): "a.edges: line 1: must be two routers and no more than a latency, "
    "as in 0 1 or 0 -> 1, not '0 1 2 3'",
    ("a.edges", "0 one\n"): "a.edges: line 1: a router must be a number in 0..4095, not 'one'",
    ("a.edges", "0 1\n0 4096\n"): "a.edges: line 2: a router must be a number in 0..4095, not "
    "'4096'",
    ("a.edges", "0 1 17\n"): "a.edges: line 1: latency must be 1..16 cycles, not '17'",
    ("a.edges", "0 1\n1 0 0\n"): "a.edges: line 2: latency must be 1..16 cycles, not '0'",
    ("a.edges", "0 1 1.5\n"): "a.edges: line 1: latency must be 1..16 cycles, not '1.5'",
    ("a.json", '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, '
    '"latency": true}]}'): "a.json: links[0]: latency must be 1..16 cycles, not True",
    ("a.edges", "# none\n"): "a.edges: the graph must have a router, not none",
    ("a.anynet", "router 0 node 0 node 2 router 1\n"): "a.anynet: node 1 must be on a router, not "
    "on none",
    ("a.anynet", "router 0 node 0 router 1\nrouter 1 node 0\n"): "a.anynet: line 2: node 0 must be "
    "on one router, not on 0 and on 1",
    ("a.anynet", "node 0 router 0 router 1\n"): "a.anynet: line 1: must be router NUMBER and then "
    "node NUMBER or router NUMBER, or node NUMBER router NUMBER, each with a latency or none, not "
    "'node 0 router 0 router 1'",
    ("a.anynet", "router 0 router 1 99\n"): "a.anynet: line 1: latency must be 1..16 cycles, not "
    "'99'",
    ("a.anynet", "router 0 node 0 5\n"): "a.anynet: line 1: latency of a node must be 1 cycle, "
    "not '5'",
    ("a.anynet", "router 0 node 0 router 1 2\nrouter 1 node 1\nrouter 0 router 1 3\n"): "a.anynet: "
    "line 3: latency must be 2, as in line 1, not '3'",
    ("a.anynet", "router 0 router 1\n"): "a.anynet: the graph must have a node, not none",
    ("a.csv", ""): "a.csv: the graph must have a router, not none",
    ("a.csv", "0,1.5,2.5\n1.5,0,1\n2.5,1,0\n"): "a.csv: line 1: an entry must be a number of links "
    "in 0..64, not '1.5'",
    ("a.graphml", "<?xml version='1.0' encoding='nonsense-9'?><graphml/>"): "a.graphml: line 1: "
    "must be GraphML in UTF-8, not in another encoding",
    ("a.graphml", "<!DOCTYPE graphml [<!ENTITY a 'aa'>]>\n<graphml><graph/></graphml>"): "a.gr"
    "aphml: line 1: must declare no entity, not 'a'",
    **{(f"{end}.graphml", f"<?xml version='1.0' encoding='{end}'?><graphml/>"): f"{end}.graphml: "
       "line 1: must be GraphML in UTF-8, not in another encoding"
       for end in ("utf-7", "utf-32", "shift_jis")},
    ("a.edges", "1 2\n2 3\n"): "a.edges: numbers of routers must start at 0, not at 1",
    ("a.anynet", "router 1 node 1 router 2\nrouter 2 node 2\n"): "a.anynet: numbers of nodes must "
    "start at 0, not at 1",
    ("a.anynet", "router 1 node 0 router 2\nrouter 2 node 1\n"): "a.anynet: numbers of routers "
    "must start at 0, not at 1",
    ("a.anynet", "router 0 node 0 router 1 \u00b2\n"): "a.anynet: line 1: must be router NUMBER "
    "and then node NUMBER or router NUMBER, or node NUMBER router NUMBER, each with a latency or "
    "none, "
    "not 'router 0 node 0 router 1 \u00b2'",
    ("a.edges", "0 \u0661\n"): "a.edges: line 1: a router must be a number in 0..4095, "
    "not '\u0661'",
    ("a.edges", "0 1 +2\n"): "a.edges: line 1: latency must be 1..16 cycles, not '+2'",
    ("a.json", '{"nodes": [{"id": []}], "links": []}'): "a.json: nodes[0]: id must be a name, a "
    "number or a list of them, not []",
    ("a.csv", "0,1\n1,0\n1,0\n"): "a.csv: there must be 2 lines, one per router, not 3",
    ("a.csv", "0,1\n1,0,0\n"): "a.csv: line 2: must have 2 fields, not 3",
    ("a.csv", "0,+1\n+1,0\n"): "a.csv: line 1: an entry must be a number of links in 0..64, not "
    "'+1'",
    ("a.csv", "0,1\n-1,0\n"): "a.csv: line 2: an entry must be a number of links in 0..64, not "
    "'-1'",
    ("a.csv", "a,a\n0,1\n1,0\n"): "a.csv: line 1: a router's name must be unique, not 'a' twice",
    ("a.csv", ",a,b\na,0,1\nc,1,0\n"): "a.csv: line 3: must be router b, as in the first line, not "
    "'c'",
    ("a.csv", "0,1\n1,1\n"): "a.csv: line 2: a link must lead to another router, not from 1 to it",
    ("a.json", "[]"): "a.json: must be an object with the lists nodes and links, not another",
    ("a.json", '{"nodes": [3], "links": []}'): "a.json: nodes[0]: id must be a name, a number "
    "or a list of them, not None",
    ("a.json", '{"directed": "no", "nodes": [], "links": []}'): "a.json: directed must be true or "
    "false, not 'no'",
    ("a.graphml", "<graphml>\n<graph edgedefault='both'/></graphml>"): "a.graphml: line 2: "
    "edgedefault must be undirected or directed, not 'both'",
    ("a.graphml", "<graphml><graph>\n<edge source='a' target='b' directed='y'/></graph></graphml>"):
    "a.graphml: line 2: directed must be false or true, not 'y'",
    ("a.json", '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}'): "a.json: "
    "links[0]: an end must be a vertex of the file, not '2'",
    ("a.json", '{"nodes": [{"id": 1}, {"id": "1"}], "links": []}'): "a.json: nodes[1]: a router's "
    "name must be unique, not '1' twice",
    ("a.json", '{"nodes": [{"id": "a.b"}, {"id": "a b"}], "links": []}'): "a.json: nodes[1]: a "
    "router's name must be unique, not 'a b' beside 'a.b', both a_b",
    ("a.json", '{"nodes": [{"id": 1, "nodes": 65}], "links": []}'): "a.json: nodes[0]: nodes must "
    "be an integer in 0..64, not 65",
    ("a.json", '{"nodes": [{"id": 1, "nodes": 0}], "links": []}'): "a.json: the graph must have a "
    "node, not none",
    ("a.graphml", "<a/>"): "a.graphml: line 1: must be GraphML, not an element 'a'",
    ("a.graphml", "<graphml/>"): "a.graphml: line 1: must be GraphML with a graph, not without",
    ("a.graphml", "<graphml>\n<graph>\n</graphml>"): "a.graphml: line 3: must be GraphML, not what "
    "has this error: mismatched tag",
    ("a.graphml", "<graphml><graph>\n<node/></graph></graphml>"): "a.graphml: line 2: node must "
    "have its id, not none",
    ("a.graphml", "<graphml><graph>\n<hyperedge/></graph></graphml>"): "a.graphml: line 2: an "
    "edge must join two vertices, not be a hyperedge",
    ("a.graphml", "<graphml><graph>\n<node id='a'><graph/></node></graph></graphml>"): "a.graphml: "
    "line 2: a graph must not be nested in another graph",
    ("a.graphml", "<graphml><graph><node id='a'/>\n<edge source='a'/></graph></graphml>"): "a.graph"
    "ml: line 2: edge must have its target, not none",
    ("a.graphml", "<graphml><graph><node id='a'/>\n<node id='a'/></graph></graphml>"): "a.graphml: "
    "line 2: a router's name must be unique, not 'a' twice",
    ("a.graphml", graphml('<node id="a"/>\n<node id="n"><data key="d1">node</data></node>')):
    "a.graphml: line 9: node n must be on a router, not on none",
    ("a.graphml", graphml('<node id="a"/><node id="b"/><edge source="a" target="b"/>\n'
    '<node id="n"><data key="d1">node</data></node><edge source="n" target="a"/>\n'
    '<edge source="n" target="b"/>')):
    "a.graphml: line 10: node n must be on one router, not on a and on b",
    ("a.graphml", graphml('<node id="n"><data key="d1">node</data></node>\n'
    '<edge source="n" target="n"/>')):
    "a.graphml: line 9: node n must be on a router, not on node n",
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_what_is_wrong_is_told_in_one_line(tmp_path, name, text):
    if WRONG[name, text] is None:
        assert read(tmp_path, name, text).routers == ("0", "1", "2")
        return
    with pytest.raises(ConfigurationError) as error:
        read(tmp_path, name, text)
    assert str(error.value) == WRONG[name, text]


def test_files_that_cannot_be_read_or_are_too_large(tmp_path):
    for name in ("a.edges", "a.anynet", "a.graphml", "a.json", "a.csv"):
        (tmp_path / name).symlink_to("/dev/zero")
        with pytest.raises(ConfigurationError, match=r" file of at most 64 MiB, not of more$"):
            GraphFile.read(tmp_path / name)
        (tmp_path / name).unlink()
    for links, least in (([(1, 2)], 1), ([(0, 1), (-1, 0)], -1)):
        with pytest.raises(
            ConfigurationError, match=f"^graph: numbers of routers must start at 0, not at {least}$"
        ):
            GraphFile.of(links)
    with pytest.raises(ConfigurationError, match=r"none\.edges: must be a readable graph file: "):
        GraphFile.read(tmp_path / "none.edges")
    with pytest.raises(ConfigurationError, match=r"none\.json: must be a readable JSON file: "):
        GraphFile.read(tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match=r"line 2 column 3"):
        read(tmp_path, "a.json", '{"a":\n  x}')
    ends = [(router, router + 1) for router in range(4096)]
    with pytest.raises(
        ConfigurationError, match=r"^graph: routers must be at most 4096, not more$"
    ):
        GraphFile.of(ends)
    assert len(GraphFile.of(ends[:-1]).routers) == 4096


SOURCES = [*TRIANGLES.items(), ("a.csv", ",a,b\na,0,1\nb,1,0\n"),
           ("a.anynet", "router 0 node 0 node 1 router 1 1\nrouter 1 node 2\n")]  # fmt: skip
ODD = ["", "\n", "-", "5", "99999999999", '"', "<", "{", "null", "#", "é", "node", "\0", "]", "->"]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SOURCES), st.data())
def test_a_broken_file_is_read_or_refused_in_one_line(tmp_path_factory, source, data):
    (name, text), folder = source, tmp_path_factory.getbasetemp()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 12))
        text = text[:start] + data.draw(st.sampled_from(ODD)) + text[end:]
    try:
        found = read(folder, name, text)
    except ConfigurationError as error:
        assert str(error).startswith((name, str(folder), "graph: "))
        assert "\n" not in str(error)
    else:
        assert len(found.routers) >= 1


@st.composite
def link_lists(draw):
    routers = draw(st.integers(2, 12))
    router = st.integers(0, routers - 1)
    link = st.tuples(router, router, st.booleans(), st.integers(1, 2))
    link = link.filter(lambda link: link[0] != link[1])
    return routers, [Link(*link) for link in draw(st.lists(link, min_size=1, max_size=40))]


def arcs(links):
    """Ways from router to router, with their latency, and how many there are."""
    return Counter(
        way
        for a, b, two_way, cycles in links
        for way in ((a, b, cycles), (b, a, cycles))[: 1 + two_way]
    )


@given(link_lists())
def test_joined_links_lead_the_same_ways(drawn):
    _, links = drawn
    found = join_links(links)
    assert arcs(found) == arcs(links)
    one_way = {(a, b, cycles) for a, b, two_way, cycles in found if not two_way}
    back = {(b, a, cycles) for a, b, cycles in one_way}
    assert not one_way & back  # all that go there and back are join_links


@given(link_lists(), st.integers(1, 3))
def test_every_link_has_a_port_at_both_ends(drawn, first):
    routers, links = drawn
    near, peers, latency = wire_links(routers, links, first=first)
    ends = [(router, port) for router, port in np.argwhere(near >= 0).tolist()]
    told = [(router, int(near[router, port]), int(latency[router, port])) for router, port in ends]
    assert Counter(told) == arcs(links)
    assert (latency[near < 0] == 1).all()
    into = [(int(near[end]), int(peers[end])) for end in ends]
    assert len(set(into)) == len(into)
    assert min(port for _, port in (*ends, *into)) == first
    sent = Counter(a for ways in arcs(links).elements() for a in ways[:1])
    came = Counter(b for ways in arcs(links).elements() for b in ways[1:2])
    assert near.shape == (routers, first + max(*sent.values(), *came.values()))
    for a, b, two_way, _ in links:
        if two_way:  # one port at each end serves both ways
            ports = [p for r, p in ends if r == a and near[r, p] == b]
            assert any((near[b, peers[a, p]], peers[b, peers[a, p]]) == (a, p) for p in ports)


@pytest.mark.parametrize(
    ("links", "pair"),
    [
        ([Link(0, 1, True)], (0, 2)),
        ([Link(0, 1, True), Link(1, 2, False)], (2, 0)),
        ([Link(0, 1, False), Link(1, 2, False), Link(2, 0, False)], None),
    ],
)
def test_pairs_without_a_way(links, pair):
    assert unreached_pair(3, links) == pair
