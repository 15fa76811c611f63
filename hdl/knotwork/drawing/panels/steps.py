"""What each step of a schedule highlights: circuits at once, or packets of a batch that move."""

from collections.abc import Iterable

from ...routing.scheduling.schedule import Frame, PacketMove
from ...topology import Topology
from ..highlights import DESTINATION, SOURCE, Arrow, Highlight
from ..links import box_of, has_node_boxes, nodes_at_ports


def highlight_steps(topology: Topology, frames: Iterable[Frame]) -> list[Highlight]:
    """Highlight of each frame: an arrow for each hop of a packet, in a colour of its own.

    The last arrow of a circuit bears its source, that of a packet in a batch its destination. Boxes
    of nodes are filled where they send, and where they have what is meant for them.
    """
    label, apart = topology.label, has_node_boxes(topology)
    made = []
    for frame in frames:
        arrows = []
        for place, way in enumerate(frame.moves):
            badge = label(way.source if apart else way.destination)
            text = f"{label(way.source)} to {label(way.destination)}"
            own_colour = place if apart else way.source  # a packet keeps its colour in all steps
            hops = _hops(topology, way)
            for number, (box, port, after) in enumerate(hops, start=1):
                own = badge if number == len(hops) else ""
                arrows.append(Arrow(box, port, after, own, text, colour=1 + own_colour))
        parts = {box_of(topology, way.source): SOURCE for way in frame.moves} if apart else {}
        parts |= {box_of(topology, node): DESTINATION for node in frame.arrived}
        legend = (SOURCE, DESTINATION) if apart else (DESTINATION,)
        badges = "source of the circuit" if apart else "destination of the packet"
        made.append(Highlight(frame.caption, tuple(arrows), parts, badges, legend, is_plain=True))
    return made


def _hops(topology: Topology, way: PacketMove) -> list[tuple[int, int, int]]:
    """Box, port and next box of each hop; where nodes have boxes, from and to those of nodes."""
    routers = [router for router, _ in way.hops]
    if not has_node_boxes(topology):
        ends = [*routers[1:], way.end]
        return [(*hop, after) for hop, after in zip(way.hops, ends, strict=True)]
    source, destination = (box_of(topology, node) for node in (way.source, way.destination))
    above = (nodes_at_ports(topology) == way.source).any(axis=1).nonzero()[0].tolist()
    first = source, above.index(routers[0]), routers[0]
    ends = [*routers[1:], destination]
    return [first, *((*hop, after) for hop, after in zip(way.hops, ends, strict=True))]
