"""The unfolded view, held to the levels' own wiring and to the counts of stages."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from helpers.pictures import SVG, parsed, texts
from knotwork import Cm5, FatTree, Kyklos, Lcan, Network
from knotwork.drawing.highlights import DESTINATION, SOURCE
from knotwork.drawing.unfolded import unfolded_panel
from knotwork.errors import ConfigurationError

LEVELS = pytest.mark.parametrize(
    "topology",
    [
        *(Lcan(d=2, u=2, levels=1), Lcan(d=2, u=2, levels=4), Lcan(d=5, u=1, levels=2)),
        *(Cm5(levels=2), Lcan(d=4, u=2, levels=3, interconnect="tree")),
        *(FatTree(r=(2, 4, 2), u=(2, 8, 1)), Kyklos(k=3, levels=3, copies=1)),
    ],
    ids=lambda topology: topology.instance_name,
)


def panel_of(topology, route=None, limit=1024):
    return unfolded_panel(Network(topology), route, limit=limit)


def tip(panel, box):
    """Label of a box, and what headers do there."""
    return panel.boxes.tips[box].partition(":")[0]


@LEVELS
def test_every_link_stands_there_once_in_each_direction(topology):
    panel, wanted, top = panel_of(topology), [], topology.levels - 1
    label = topology.router_label
    for level in range(topology.levels):
        # Switches of the top have one box.
        first, second = ("up", "down") if level < top else ("top", "top")
        for w in range(topology.level_sizes[level]):
            high = label(topology.first_switch[level] + w)
            if level < top:
                wanted.append((f"{high} up", f"{high} down", "virtual link"))
            for c in range(topology.downers[level]):
                below, upper = topology.down(level, w, c)
                if level:
                    low = label(topology.first_switch[level - 1] + below)
                    wanted.append((f"{low} up", f"{high} {first}", f"up{upper}"))
                    wanted.append((f"{high} {second}", f"{low} down", f"down{c}"))
                else:
                    low = topology.label(below)
                    wanted.append((f"{low} sends", f"{high} {first}", f"down{c}"))
                    wanted.append((f"{high} {second}", f"{low} receives", f"down{c}"))
    names = ["virtual link" if link.port < 0 else topology.ports[link.port] for link in panel.links]
    drawn = [
        (*(tip(panel, end) for end in link.ends), name)
        for link, name in zip(panel.links, names, strict=True)
    ]
    assert sorted(drawn) == sorted(wanted)
    assert len(panel.boxes.tips) == len(set(panel.boxes.tips))


@LEVELS
def test_all_links_lead_to_the_right_by_one_stage_and_nothing_covers_anything(topology):
    panel = panel_of(topology)
    columns = sorted(set(panel.boxes.places[:, 0]))
    assert len(columns) == 2 * topology.levels - 1 + 2  # and the nodes
    stage = [columns.index(x) for x in panel.boxes.places[:, 0]]
    for link in panel.links:
        first, last = (stage[end] for end in link.ends)
        # The two boxes of a switch stand in stages that mirror each other.
        assert last == (len(columns) - 1 - first if link.marked else first + 1)
        assert last > first
    places, halves = panel.boxes.places, panel.boxes.halves
    for one, other in combinations(range(len(places)), 2):
        assert (np.abs(places[one] - places[other]) - halves[one] - halves[other]).max() > 4
    along = np.linspace(0, 1, 201)
    for link, curve in zip(panel.links, panel.curves, strict=True):
        others = np.delete(np.arange(len(places)), list(link.ends))
        points = curve.points(along)
        apart = np.abs(points[:, None] - places[others]) - halves[others]
        assert apart.max(axis=2).min(initial=9.0) > 3
        low, high = panel.bounds
        assert (points >= low).all()
        assert (points <= high).all()
    middles = {tuple(np.round(curve.points(np.array([0.5]))[0], 1)) for curve in panel.curves}
    straight = [curve for curve in panel.curves if curve.is_straight]
    assert sum(link.marked for link in panel.links) <= len(straight)
    if topology.is_tree:  # parallel wires part from each other
        assert len(middles) == len(panel.links)


@LEVELS
def test_a_route_leads_from_node_to_node_through_the_stages_that_it_uses(topology):
    columns = sorted(set(panel_of(topology).boxes.places[:, 0]))
    for destination in range(topology.nodes):
        panel = panel_of(topology, (0, destination))
        level = topology.lca_level(0, destination)
        arrows = panel.shown.arrows
        ends = {(link.ends[0], link.ports[0]): link.ends[1] for link in panel.links}
        assert all(ends[arrow.router, arrow.port] == arrow.after for arrow in arrows)
        assert all(one.after == other.router for one, other in pairwise(arrows))
        way = [arrow.router for arrow in arrows] + [arrows[-1].after]
        assert tip(panel, way[0]) == f"{topology.label(0)} sends"
        assert tip(panel, way[-1]) == f"{topology.label(destination)} receives"
        stages = [columns.index(panel.boxes.places[box, 0]) for box in way]
        assert stages == sorted(set(stages))
        is_complete = level == topology.levels - 1
        assert len(stages) - 2 == (2 * level + 1 if is_complete else 2 * level + 2)
        virtual = [arrow for arrow in arrows if not arrow.badge]
        assert len(virtual) == (not is_complete)
        numbers = [arrow.badge for arrow in arrows if arrow.badge]
        assert numbers == [str(number) for number in range(1, 2 * level + 3)]
        assert panel.shown.parts[way[0]] == SOURCE
        assert panel.shown.parts[way[-1]] == DESTINATION
        assert panel.shown.parts.keys() == {*way}


def test_too_large_views_are_refused_and_others_have_title_and_legend():
    root = parsed(Network(Lcan(d=2, u=2, levels=3)), unfolded=True)
    words = texts(root)
    assert words[1] == "unfolded at level 2: 5 stages, routing=updown"
    assert words[-6:] == ["to a node", "child 0", "child 1", "node", "router", "virtual link"]
    paths = list(root.iter(f"{SVG}path"))
    assert len(paths) == 2 * (8 + 8 + 8) + 4 + 4  # links both ways, and 4 switches on two levels
    dashed = [path for path in paths if path.get("stroke-dasharray")]
    assert [path.find(f"{SVG}title").text for path in dashed] == [
        f"{level}_{w} - {level}_{w}: virtual link" for level in range(2) for w in range(4)
    ]
    assert not list(root.iter(f"{SVG}polygon"))
    root = parsed(Network(Lcan(d=2, u=2, levels=4)), unfolded=True, route=(0, 2))
    assert texts(root)[1] == "route 0000 to 0010: 4 of 7 stages, routing=updown"
    arrows = [path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]
    assert len(arrows) == 5
    assert [bool(path.get("stroke-dasharray")) for path in arrows] == [False] * 2 + [True] + [
        False
    ] * 2
    with pytest.raises(ConfigurationError) as refusal:
        panel_of(Lcan(d=2, u=2, levels=3), limit=35)
    assert str(refusal.value) == (
        "lcan_d2_u2_levels3_interconnectcomplete: boxes of the unfolded view must be at most 35 "
        "to be drawn, not 36"
    )
    panel_of(Lcan(d=2, u=2, levels=3), limit=36)
