"""What a network carries out in steps: broadcasts, multicasts and schedules, for the page to play.

A frame is what happens at once: what it is in words, the ways of packets (source, destination, and
the links that they cross as router and output port in turn), and nodes that have what they wait
for.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from knotwork.broadcasts import named_broadcast
from knotwork.cli.answers.broadcast import find_broadcast
from knotwork.cli.answers.messages import delivery, scheduling_routing
from knotwork.cli.answers.multicast import find_multicast
from knotwork.cli.message_options import MessageRequest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import ORDERS
from knotwork.routing.scheduling.messages import NAMES
from knotwork.routing.scheduling.schedule import PacketMove
from knotwork.wording import plural

from .tables import Data

MOST_NODES = 256
"""Nodes up to which steps are on the page."""
MOST_TREES = 64
"""Nodes up to which there is a broadcast from every node."""
MEMBERS = 8
"""Destinations of the multicast that is shown, at most."""
MOST_WAYS = 20_000
"""Ways of a schedule that is shown, at most."""


def plays(network: Network, words: str) -> list[Data]:
    """All that the network carries out in steps, of schedules the longest first.

    There are none for a large network.
    """
    if network.topology.nodes > MOST_NODES:
        return []
    trees = _had(lambda: broadcast(network, words), lambda: multicast(network, words))
    schedules = _had(*(partial(schedule, network, words, name) for name in NAMES))
    return trees + sorted(schedules, key=_steps, reverse=True)


def _steps(play: Data) -> int:
    frames = play["frames"]
    assert isinstance(frames, list)
    return len(frames)


def _had(*makers: Callable[[], Data | None]) -> list[Data]:
    """Those that the network, with its number of nodes, has."""
    found = []
    for make in makers:
        with suppress(ConfigurationError):
            found.append(make())
    return [play for play in found if play is not None]


def broadcast(network: Network, words: str) -> Data:
    """Trees of broadcasts, by source: parent of each node, and the step of its copy."""
    topology = network.topology
    chosen = named_broadcast(network, None, 0)
    sources = range(topology.nodes if topology.nodes <= MOST_TREES else 1)
    trees = {}
    for source in sources:
        tree = find_broadcast(network, chosen.name, source)
        ports = [
            -1 if parent is None else _port_to(network, parent, node)
            for node, parent in enumerate(tree.parent)
        ]
        trees[source] = {
            "parent": [-1 if parent is None else parent for parent in tree.parent],
            "port": ports,
            "arrival": [-1 if step is None else step for step in tree.arrival],
        }
    return {
        "title": f"broadcast, rule {chosen.name}",
        "command": f"knotwork broadcast {words}",
        "trees": trees,
    }


def _port_to(network: Network, router: int, neighbour: int) -> int:
    """First port of a router that leads to another."""
    return network.topology.neighbours[router].tolist().index(neighbour)


def multicast(network: Network, words: str) -> Data:
    """Rounds of a multicast from node 0 to nodes spread over the network."""
    nodes = network.topology.nodes
    count = min(MEMBERS, nodes - 1)
    members = sorted({1 + index * (nodes - 1) // count for index in range(count)})
    found = find_multicast(network, 0, members, next(iter(ORDERS)))
    frames, reached = [], {0}
    for number, packets in enumerate(found.rounds, start=1):
        reached |= {packet.destination for packet in packets}
        ways = [
            [packet.source, packet.destination, _hops(network, packet.source, packet.destination)]
            for packet in packets
        ]
        says = f"round {number}: {plural(len(packets), 'packet')}"
        frames.append([says, ways, sorted(reached)])
    listed = " ".join(map(str, members))
    return {
        "title": f"multicast from 0 to {plural(len(members), 'node')}",
        "command": f"knotwork multicast {words} 0 {listed}",
        "frames": frames,
    }


def _hops(network: Network, source: int, destination: int) -> list[int]:
    """Links of a path: router and output port in turn."""
    hops = network.routing.hops(source, destination)[:-1]
    return [number for hop in hops for number in (hop.router, hop.port)]


def schedule(network: Network, words: str, name: str) -> Data | None:
    """Steps of the schedule of a named permutation; None where they are too many."""
    routing = scheduling_routing(network, "datasheet")
    asked = MessageRequest(permutation=name, messages=None, matrix=None, complement=None, seed=1)
    wanted = delivery(asked, routing, "datasheet")
    frames, ways = [], 0
    for frame in routing.frames(*wanted.messages):
        ways += len(frame.moves)
        if ways > MOST_WAYS:
            return None
        frames.append([frame.caption, list(_ways(frame.moves)), sorted(frame.arrived)])
    return {
        "title": f"permutation {name}, {routing.name}: {plural(len(frames), 'step')}",
        "command": f"knotwork schedule {words} --permutation {name}",
        "frames": frames,
    }


def _ways(ways: Iterable[PacketMove]) -> Iterator[list[object]]:
    """Ways as a frame has them."""
    for way in ways:
        links = [number for hop in way.hops for number in hop]
        yield [way.source, way.destination, links]
