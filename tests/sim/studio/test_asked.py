"""What requests name: the same networks as a command line's words, and no file."""

import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.studio.asked import LONGEST, MOST_WORDS, Asked, file_keys, traffic_file_keys

SQUARE = {
    "directed": False,
    "nodes": [{"id": str(n)} | ({"nodes": 2} if n == 0 else {}) for n in range(4)],
    "links": [{"source": str(n), "target": str((n + 1) % 4)} for n in range(4)],
}


@pytest.mark.parametrize(
    "words", [["moebius", "n=4", "routing=spr"], ["moebius:n=4", "routing=spr"]]
)
def test_words_name_a_network_as_on_the_command_line(words):
    asked = Asked.of({"words": words})
    assert asked.network.name == Network.from_words(words).name
    assert asked.words == "moebius n=4 routing=spr"
    assert asked.graph is None
    assert asked.system.is_plain
    assert not Asked.of({"words": [*words, "node.width=64"]}).system.is_plain


def test_a_drawn_graph_is_one_of_a_file():
    asked = Asked.of({"words": ["graph", "data_width=16"], "graph": SQUARE})
    assert asked.words == "graph file=drawn.json data_width=16"
    assert (asked.network.topology.routers, asked.network.topology.nodes) == (4, 5)
    assert asked.graph == SQUARE


MOST = f"studio: words must be at most 200 words of at most {LONGEST} characters,"
NO_FILE = "must not be named here: a page names no file"


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ({}, "a network must be named: one of hypercube, "),
        ({"words": ["hypercube", "n=99"]}, "hypercube: n must be an integer in 1..20, not 99"),
        ({"words": ["hypercub"]}, "a network must be one of hypercube, "),
        ({"words": "ring n=3"}, "studio: words must be a list of words, not 'ring n=3'"),
        ({"words": ["mesh", 3]}, "studio: words must be a list of words, not ['mesh', 3]"),
        (
            {"words": "ring" * 999},
            "studio: words must be a list of words, not 'ringringring...gringringring'",
        ),
        ({"words": ["mesh"] * (MOST_WORDS + 1)}, f"{MOST} not 201 of at most 4"),
        ({"words": ["hypercube", "n" * LONGEST * 2]}, f"{MOST} not 2 of at most {LONGEST * 2}"),
        ({"words": ["../secret.toml"]}, "studio: a network must be one of hypercube, "),
        ({"words": ["graph", "file=/etc/passwd.json"]}, f"studio: file {NO_FILE}"),
        ({"words": ["graph:file=x.edges"]}, f"studio: file {NO_FILE}"),
        (
            {"words": ["mesh", "x=2", "y=2", "routing=table", "table_file=x.csv"]},
            f"studio: table_file {NO_FILE}",
        ),
        ({"words": ["graph"]}, "graph: file must be given: a file ending in "),
        (
            {"words": ["graph"], "graph": {"nodes": 3, "links": []}},
            "drawn.json: must be an object with the lists nodes and links, not another",
        ),
        (
            {"words": ["graph"], "graph": {"nodes": [{"id": "0"}, {"id": "1"}], "links": []}},
            "drawn.json: router 1 (@1) must be reached from router 0 (@0), which has no way there",
        ),
    ],
)
def test_what_cannot_be_is_refused_as_the_command_line_does(told, line):
    with pytest.raises(ConfigurationError) as refused:
        Asked.of(told)
    assert str(refused.value).startswith(line)


def test_every_key_that_reads_a_file_is_known():
    assert file_keys() == {"file", "table_file", "routing_matrix"}
    assert traffic_file_keys() == {"matrix", "replay"}
