"""Unfolded view of levels of switches: a multistage network, from its sources to its sinks."""

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..topology import LeastCommonAncestor
from ..topology.level_layouts import switch_rows
from ..wording import plural
from .boxes import Boxes, BoxNames, Link, links_of
from .curves import Curve
from .highlights import DESTINATION, PASSED, SOURCE, Arrow, Highlight
from .panels import Panel

MARK = "virtual link"
"""What the links are that join the two boxes of a switch."""

_VIRTUAL = -1  # port of a switch at both ends of its virtual link
_LANE = 20.0  # from a virtual link to the middle of the next box that it passes, in pixels
_ROW = 34.0  # from a box to the next one of its stage, in pixels
_STAGE = 170.0  # from one stage to the next, in pixels, at least ...
_STEEP = 6.0  # ... and as a share of the height of the picture
_WIRE = 9.0  # between two parallel wires, in pixels ...
_BUNDLE = 60.0  # ... of which all together have so much room


def unfolded_panel(
    network: Network, route: tuple[int, int] | None, *, limit: int, labels: str = "label"
) -> Panel:
    """Network of circuits, unfolded at its top level.

    Each switch below the top has two boxes: headers pass the first on their way up and the second
    on their way down. A virtual link, which costs nothing, joins them. Nodes have a box where they
    send and one where they receive. All links lead from left to right.

    Parameters
    ----------
    network : Network
        Levels of switches, in one copy.
    route : (int, int) or None
        Source and destination of a packet whose path is shown.
    limit : int
        Most boxes.
    labels : str
        What nodes say, one of `boxes.TEXTS`.

    Raises
    ------
    ConfigurationError
        Another network, or more boxes.

    References
    ----------
    "Least Common Ancestor Networks", section 3.1.
    """
    topology = network.routing.level_tree
    if topology is None:
        raise ConfigurationError(
            "draw: --unfolded must be used with a network whose circuits go up and down again, not "
            f"{network.topology.name} with routing={network.routing.name}"
        )
    view = _View(topology.require_one_copy("draw: --unfolded"))
    if view.count > limit:
        raise ConfigurationError(
            f"{network.name}: boxes of the unfolded view must be at most {limit} to be drawn, "
            f"not {view.count}"
        )
    boxes, links = view.boxes(labels), view.links()
    shown = view.highlight() if route is None else view.route(network, *route)
    curves = _curves(boxes, links)
    return Panel(topology, links, boxes, curves, shown, mark=MARK, one_way=True)


@dataclass(frozen=True)
class _View:
    """Boxes by number: switches going up, those below the top going down, senders, receivers."""

    topology: LeastCommonAncestor

    @property
    def stages(self) -> int:
        """Stages of switches."""
        return 2 * self.topology.levels - 1

    @property
    def below_top(self) -> int:
        """Switches that have two boxes."""
        return self.topology.first_switch[-1]

    @property
    def count(self) -> int:
        """Boxes."""
        return self.topology.routers + self.below_top + 2 * self.topology.nodes

    def down(self, router: int) -> int:
        """Box of a switch where headers go down."""
        return self.topology.routers + router if router < self.below_top else router

    def sender(self, node: int) -> int:
        """Box of a node that sends."""
        return self.topology.routers + self.below_top + node

    def receiver(self, node: int) -> int:
        """Box of a node that receives."""
        return self.sender(node) + self.topology.nodes

    def boxes(self, labels: str) -> Boxes:
        """All boxes, each stage a column."""
        topology, names = self.topology, BoxNames.of(self.topology, labels)
        mirrored, switches = range(self.below_top), range(topology.routers)
        pes = range(topology.routers, topology.routers + topology.nodes)
        shown = [*switches, *mirrored, *pes, *pes]
        levels = topology.level_of(np.arange(topology.routers))
        stage = np.repeat([-1, self.stages], topology.nodes)
        columns = [levels, self.stages - 1 - levels[: self.below_top], stage]
        lanes = _lanes(switch_rows(topology)[:, 0], levels)
        rows = np.arange(topology.nodes) * _ROW
        height = max(lanes[-1], rows[-1])
        lanes, rows = _stretched(lanes, height), _stretched(rows, height)
        across = np.concatenate(columns) * max(_STAGE, height / _STEEP)
        along = np.concatenate([lanes, lanes[: self.below_top], rows, rows])
        ways = [way for way, count in self._ways() for _ in range(count)]
        return Boxes(
            labels=tuple(names.labels[box] for box in shown),
            tips=tuple(
                f"{names.labels[box]} {way}: {names.tips[box].partition(': ')[2]}"
                for box, way in zip(shown, ways, strict=True)
            ),
            ids=tuple(names.ids[box] for box in shown),
            halves=names.halves[shown],
            places=np.stack([across - across.min(), along - along.min()], axis=1),
            routers=range(len(switches) + len(mirrored)),
            nodes=range(len(switches) + len(mirrored), len(shown)),
        )

    def _ways(self) -> list[tuple[str, int]]:
        """What packets do in so many boxes, in the order of the boxes."""
        below, nodes = self.below_top, self.topology.nodes
        turning = self.topology.routers - below
        return [
            ("up", below),
            ("top", turning),
            ("down", below),
            ("sends", nodes),
            ("receives", nodes),
        ]

    def links(self) -> list[Link]:
        """Every link once in each direction, and a virtual one for each switch with two boxes."""
        found = []
        for link in links_of(self.topology):
            (near, far), (own, others) = link.ends, link.ports
            if link.kind:  # from a switch to one of the level above
                up, down = (near, far), (self.down(far), self.down(near))
                ways = (up, (own, others), own), (down, (others, own), others)
            else:
                node = far - self.topology.routers
                up, down = (self.sender(node), near), (self.down(near), self.receiver(node))
                ways = (up, (others, own), own), (down, (own, others), own)
            for ends, ports, port in ways:
                found.append(replace(link, ends=ends, ports=ports, port=port, latency=1))
        found += [
            Link((router, self.down(router)), (_VIRTUAL, _VIRTUAL), _VIRTUAL, kind=0, marked=True)
            for router in range(self.below_top)
        ]
        return found

    def highlight(self) -> Highlight:
        """Title alone."""
        title = f"unfolded at level {self.topology.levels - 1}: {plural(self.stages, 'stage')}"
        return Highlight(title, (), {}, "", ())

    def route(self, network: Network, source: int, destination: int) -> Highlight:
        """Path of a packet: links numbered, but for a virtual one."""
        hops = network.routing.hops(source, destination)
        top = len(hops) // 2  # as many hops up as down, and the turn
        ups = [hop.router for hop in hops[: top + 1]]
        downs = [self.down(hop.router) for hop in hops[top:]]
        begin, end = self.sender(source), self.receiver(destination)
        ways = [(begin, 0, ups[0])]
        ways += [(ups[n], hops[n].port, ups[n + 1]) for n in range(top)]
        links = [Arrow(*way, f"{number}") for number, way in enumerate(ways, start=1)]
        if ups[-1] != downs[0]:
            links.append(Arrow(ups[-1], _VIRTUAL, downs[0], "", MARK))
        after = zip(downs, hops[top:], [*downs[1:], end], strict=True)
        links += [
            Arrow(box, hop.port, following, f"{number}")
            for number, (box, hop, following) in enumerate(after, start=len(ways) + 1)
        ]
        parts = dict.fromkeys((*ups, *downs), PASSED) | {begin: SOURCE, end: DESTINATION}
        stages = network.routing.pair_facts(source, destination)["unfolded"]
        label = self.topology.label
        title = (
            f"route {label(source)} to {label(destination)}: {stages['used']} of "
            f"{plural(stages['stages'], 'stage')}"
        )
        return Highlight(title, tuple(links), parts, "link", (SOURCE, DESTINATION, PASSED))


def _lanes(across: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Height of each switch, in the order of the folded view: no two stand at the same height."""
    lanes, last, at = np.zeros(len(levels)), dict[int, float](), -_LANE
    for switch in np.lexsort((levels, across)).tolist():
        level = int(levels[switch])
        at = max(at + _LANE, last.get(level, -_ROW) + _ROW)
        lanes[switch] = last[level] = at
    return lanes


def _stretched(heights: np.ndarray, height: float) -> np.ndarray:
    """The same heights spread over more, or in its middle where there is but one."""
    highest = heights.max()
    return heights * (height / highest) if highest else heights + height / 2


def _curves(boxes: Boxes, links: list[Link]) -> list[Curve]:
    """Curves that leave boxes and come to them from the side; parallel wires are parted."""
    bundles = defaultdict[tuple[int, int], list[int]](list)
    for number, link in enumerate(links):
        bundles[link.ends].append(number)
    curves = []
    for number, link in enumerate(links):
        wires = bundles[link.ends]
        apart = min(_WIRE, _BUNDLE / len(wires))
        aside = (wires.index(number) - (len(wires) - 1) / 2) * apart
        first, last = boxes.places[list(link.ends)]
        half = np.array([(last - first)[0] / 2, 0.0])
        by = np.array([0.0, aside / 0.75])
        curves.append(Curve(first, first + half + by, last - half + by, last))
    return curves
