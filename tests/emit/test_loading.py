"""Words that load the tables of another routing: what they say, and what does not fit."""

import json

import pytest
from helpers.refusals import refuses
from knotwork import Mesh, Network
from knotwork.emit import manifest
from knotwork.emit.loading import load_words, lost_packet, word_fields
from knotwork.topology.altered import without

MESH = Network.from_word("mesh:x=3,y=3,tables=loaded")


def test_following_the_words_leads_every_packet_by_the_wanted_path():
    topology = MESH.topology
    wanted = Network(without(topology, "3-4"), routing="updown")
    entries, dead = {}, set()
    for word in map(word_fields_of(MESH), load_words(MESH, wanted)):
        if word["dead"]:
            dead.add((word["router"], topology.ports[word["output.port"]]))
        else:
            key = word["router"], word["input.port"], word["destination"]
            assert key not in entries
            entries[key] = word["output.port"]
    assert dead == {(3, "R"), (4, "L")}
    for source in range(9):
        for to in range(9):
            router, port, path = source, 0, [source]
            while (port := entries[router, port, topology.address(to)]) != 0:
                router, port = topology.neighbours[router, port], topology.peer_ports[router, port]
                path.append(int(router))
            assert path == list(wanted.routing.path(source, to))


def word_fields_of(network):
    return lambda word: word_fields(network, word)


def test_the_manifest_tells_the_places_of_all_fields():
    facts = json.loads(json.dumps(manifest(MESH)))
    assert facts["config"]["stream"] == "s_axis_config"
    assert facts["config"]["ports"] == ["local", "L", "R", "U", "D"]
    fields = facts["config"]["fields"]
    assert sum(bits for _, bits in fields.values()) == facts["widths"]["s_axis_config"]["tdata"]
    (word, *_) = load_words(MESH, Network(MESH.topology, routing="updown"))
    read = {name: word >> low & (1 << bits) - 1 for name, (low, bits) in fields.items()}
    assert read == word_fields(MESH, word)
    assert facts["status"] == {**facts["status"], "port": "status", "width": 3 + 2 * 4}


def test_the_status_tells_of_a_lost_packet():
    fields = manifest(MESH)["status"]["fields"]
    source, destination = (MESH.topology.address(node) for node in (7, 2))
    values = {"lost": 1, "packet.source": source, "packet.destination": destination}
    status = sum(value << fields[name][0] for name, value in values.items())
    assert lost_packet(MESH, status) == (7, 2)
    assert lost_packet(MESH, status ^ 1 << fields["lost"][0]) is None


@pytest.mark.parametrize(
    ("network", "wanted", "line"),
    [
        (
            Network(Mesh(x=3, y=3)),
            Network(Mesh(x=3, y=3)),
            "mesh_x3_y3: tables must be loaded, not fixed",
        ),
        (
            MESH,
            Network(Mesh(x=3, y=4)),
            "mesh_x3_y3_tablesloaded: the loaded network must be mesh_x3_y3, possibly with dead "
            "links, not mesh_x3_y4",
        ),
        (
            MESH,
            Network(without(Mesh(x=3, y=3), "4"), routing="updown"),
            "mesh_x3_y3_tablesloaded: the loaded network must be mesh_x3_y3, possibly with dead "
            "links, not mesh_x3_y3_dead_4",
        ),
        (
            MESH,
            Network(without(Mesh(x=3, y=3), "3-4"), routing="shortest"),
            "mesh_x3_y3_dead_3to4_shortest: routing=shortest must need at most 1 virtual channels "
            "per traffic class, as many as mesh_x3_y3_tablesloaded, not 2",
        ),
        (
            MESH,
            Network(Mesh(x=3, y=3), router="deflection"),
            "mesh_x3_y3_deflection: routing=dimension_order must send each packet by its table "
            "alone to be loaded",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(network, wanted, line):
    with refuses(line):
        load_words(network, wanted)
