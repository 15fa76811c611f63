"""Names of a picture's elements, by which pages light them up."""

import numpy as np
import pytest
from helpers.pictures import SVG, parsed
from knotwork import Network
from knotwork.drawing.highlights import Highlight
from knotwork.drawing.svg import draw_steps

from xml.etree import ElementTree as ET  # isort: skip


def elements(root):
    """Elements by their names, of which no two are the same."""
    named = [element for element in root.iter() if element.get("id")]
    assert len({element.get("id") for element in named}) == len(named)
    return {element.get("id"): element for element in named}


def links_of(topology):
    """Links by the end that names them, from the tables of ports."""
    for router, port in np.argwhere(topology.neighbours >= 0).tolist():
        far = int(topology.neighbours[router, port]), int(topology.peer_ports[router, port])
        if topology.is_one_way or (router, port) < far:
            yield f"link-{router}-{port}", {router, far[0]}


@pytest.mark.parametrize(
    "word",
    [
        *("wk:w=3,levels=2", "ccc:n=2", "torus:x=3,y=2,directions=one,virtual_channels=2"),
        *("hypercube:n=1", "moebius:n=4,twist=1", "ring:n=7", "petersen"),
    ],
)
def test_routers_nodes_and_links_of_a_direct_network_are_drawn_once_and_named(word):
    network = Network.from_word(word)
    topology, found = network.topology, elements(parsed(network))
    label = topology.label
    for node in range(topology.nodes):
        group, box = found.pop(f"router-{node}"), found.pop(f"node-{node}")
        assert next(iter(group)) is box
        assert group.find(f"{SVG}text").text == label(node)
        assert box.tag == f"{SVG}rect"
    for name, ends in links_of(topology):
        says = found.pop(name).find(f"{SVG}title").text.partition(":")[0]
        assert set(says.split(" - ")) == {label(end) for end in ends}
    assert not found


@pytest.mark.parametrize(
    "word",
    [
        *("lcan:d=2,u=2,levels=2", "lcan:d=4,u=2,levels=3,interconnect=tree", "cm5:levels=2"),
        *("fattree:r=2,4,2,u=2,8,1", "lcan:d=2,u=2,levels=1", "kyklos:k=2,levels=2"),
    ],
)
def test_routers_and_nodes_that_stand_apart_are_drawn_once_and_named(word):
    network = Network.from_word(word)
    topology, found = network.topology, elements(parsed(network))
    for router in range(topology.routers):
        text = found.pop(f"router-{router}").find(f"{SVG}text").text
        assert text == topology.router_label(router)
    for node in range(topology.nodes):
        says = found.pop(f"node-{node}").find(f"{SVG}title").text
        assert says == f"{topology.label(node)}: node {node}"
    for name, _ in links_of(topology):
        found.pop(name)
    for router, port in np.argwhere(topology.attached >= 0).tolist():
        says = found.pop(f"link-{router}-{port}").find(f"{SVG}title").text
        ends = topology.router_label(router), topology.label(topology.attached[router, port])
        assert says.startswith(" - ".join(ends) + ":")
    assert not found


def test_what_is_drawn_several_times_is_named_once():
    network = Network.from_word("hypercube:n=2")
    steps = [Highlight(f"step {n}", (), {}, "", ()) for n in range(3)]
    root = ET.fromstring(draw_steps(network, steps, "all"))
    panels = [group for group in root.iter(f"{SVG}g") if group.get("class") == "panel"]
    assert [len(elements(panel)) for panel in panels] == [12, 0, 0]
    assert set(elements(root)) == set(elements(parsed(network)))


@pytest.mark.parametrize("shown", [{"tree": 1}, {"unfolded": True}])
def test_trees_and_unfolded_views_name_what_they_show_first(shown):
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    found, folded = elements(parsed(network, **shown)), elements(parsed(network))
    assert set(found) <= set(folded)
    assert {f"node-{node}" for node in range(4)} <= set(found)
    if "unfolded" in shown:
        assert set(found) == set(folded)
