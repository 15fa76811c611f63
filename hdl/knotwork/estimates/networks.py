"""Time and memory that verbs take for a network, estimated from its size before any work.

The costs were measured, in seconds of one core and bytes, on the commands in the tests of this
module. Estimates are meant to be within a factor of three.
"""

import numpy as np

from ..network import Network
from ..routing import Routing
from ..routing.generated.routings import Shortest
from .work import Work

_START = Work(0.3, 60e6)
"""A command that does nothing."""
_COMPILED = Work(1.5, 120e6)
"""Compiled loops, loaded from disk."""

_STEP_SECONDS = 20e-9  # a rule is calls about one packet
_TURN_SECONDS = 1.5e-9  # a rank is compared
_KIND_SECONDS = 0.02  # of Amaranth and the writer, for a kind of router,
_CHANNEL_SECONDS = 0.05  # and for each of its channels,
_BIT_SECONDS = 60e-6  # and for each bit of data there
_LINK_SECONDS, _LINK_BYTES = 100e-6, 1000  # of the top's text
_PROOF_SECONDS = 4.0  # of a kind of router, by the square of its channels
_CREDIT_PROOF_SECONDS = 2.5  # the same of one whose links carry credits, by its channels
_EDGE_SECONDS, _EDGE_BYTES = 3e-6, 250  # of a graph file
_WAIT_SECONDS, _WAIT_BYTES = 15e-6, 1600  # of a dependence, with its channel, in a graph file
_CELL_SECONDS, _CELL_BYTES = 0.5e-6, 6  # of a table of all pairs
_GROUP_SECONDS = 2.0e-6  # of a pair of nodes, where groups are compared
_CHOICE_SECONDS = 1e-6  # of a switch in a run on line
_DRAWN_SECONDS = 300e-6  # a link of a drawing
_RULE_SECONDS = 4e-6  # of a rule in Python
_COMPARED_SECONDS = 50e-6  # of a pair of nodes, by all routings,
_SEARCHED_SECONDS = 20e-6  # and for a third node, where tables are searched for
_SAMPLED_DESTINATIONS = 1024  # about so many at most
_COUNTED_ROUTERS = 65536  # up to which kinds of routers are counted


def _links(network: Network) -> int:
    """Links at most, each end counted."""
    return network.topology.routers * (len(network.topology.ports) - 1)


def _channels(network: Network) -> int:
    """Channels of a router."""
    return len(network.topology.ports) * network.virtual_channels


def _kinds(network: Network) -> int:
    """Kinds of routers at most, and of choosers; those of large networks are not counted."""
    if network.topology.routers > _COUNTED_ROUTERS:
        return 1
    return len(np.unique(network.routing.module_groups)) + (choosers(network) > 0)


def choosers(network: Network) -> int:
    """Choosers of a link: one per node, where nodes have several links."""
    return network.topology.nodes if network.topology.links_per_node > 1 else 0


def check_work(network: Network) -> Work:
    """Deadlock check: all pairs walked, or every declared turn compared."""
    if network.routing.settled is not None:
        return _START
    routers = network.topology.routers
    classes = network.routing.classes
    links = routers * len(network.topology.ports)
    if network.topology.nodes > network.routing.walk_limit:
        turned = links * len(network.topology.ports) * classes
        return _START.then(Work(turned * _TURN_SECONDS, _START.memory + 16.0 * links))
    seconds = network.topology.nodes * links * classes * _STEP_SECONDS
    marks = links * classes * len(network.topology.ports) * classes
    return _START.then(_COMPILED).then(Work(seconds, _COMPILED.memory + marks))


def dependence_graph_work(network: Network) -> Work:
    """Deadlock check, and its graph as text; a channel waits for half of its router's outputs."""
    if network.routing.settled is not None:
        return _START
    waits = _links(network) * network.virtual_channels * (len(network.topology.ports) - 1) / 2
    text = Work(waits * _WAIT_SECONDS, _COMPILED.memory + waits * _WAIT_BYTES)
    return check_work(network).then(text)


def generate_work(network: Network) -> Work:
    """Verilog: the check, a module per kind of router, and a top of all links."""
    links = _links(network)
    channel = _CHANNEL_SECONDS + _BIT_SECONDS * network.hardware.data_width
    modules = _kinds(network) * (_KIND_SECONDS + channel * _channels(network))
    top = Work(modules + links * _LINK_SECONDS, 150e6 + links * _LINK_BYTES)
    return check_work(network).then(top)


def verify_work(network: Network, *, every: bool) -> Work:
    """Proofs of one kind of router, or of all."""
    kinds = _kinds(network) if every else 1
    one = _PROOF_SECONDS * _channels(network) ** 2
    if network.has_credits:
        one = _CREDIT_PROOF_SECONDS * _channels(network)
    proofs = Work(kinds * one, 300e6)
    return check_work(network).then(proofs)


def describe_work(network: Network, *, with_walks: bool, with_cost: bool = False) -> Work:
    """Facts, and where wanted all pairs walked, or the cost estimated."""
    ports = _links(network) + network.topology.routers
    facts = Work(_START.seconds + ports * 5e-9, _START.memory + 8.0 * ports)
    facts = facts.then(check_work(network)).then(comparison_work(network)) if with_walks else facts
    return facts.then(cost_work(network)) if with_cost else facts


def comparison_work(network: Network) -> Work:
    """All routings walked, searched for a link's worst permutation, and estimated."""
    topology = network.topology
    size = max(topology.nodes, topology.routers)
    if size > Routing.comparison_limit:
        return Work(0.0, 0.0)
    seconds = size**2 * _COMPARED_SECONDS
    if size <= Shortest.comparison_limit:
        seconds += size**3 * _SEARCHED_SECONDS
    return _COMPILED.then(Work(seconds, _START.memory))


def cost_work(network: Network) -> Work:
    """Kinds of routers by all pairs walked, and the rule calls by each of them."""
    destinations = min(network.topology.nodes, _SAMPLED_DESTINATIONS)
    calls = _kinds(network) * _channels(network) * destinations
    return check_work(network).then(Work(_START.seconds + calls * _RULE_SECONDS, _START.memory))


def compare_work(network: Network) -> Work:
    """Facts, and the distances of all pairs where groups are compared."""
    pairs = min(network.topology.nodes, 2048) ** 2
    return describe_work(network, with_walks=False).then(Work(pairs * _GROUP_SECONDS, 100e6))


def table_work(network: Network) -> Work:
    """Next routers of all pairs of nodes, printed."""
    cells = min(network.topology.nodes, network.routing.walk_limit) ** 2
    return _COMPILED.then(Work(cells * _CELL_SECONDS, 120e6 + cells * _CELL_BYTES))


def export_work(network: Network, *, files: int) -> Work:
    """Graph files, a line per link in each."""
    links = _links(network)
    memory = _START.memory + files * links * _EDGE_BYTES
    return _START.then(Work(files * links * _EDGE_SECONDS, memory))


def draw_work(network: Network) -> Work:
    """Drawing of all links."""
    return _START.then(Work(_links(network) * _DRAWN_SECONDS, 60e6))


def schedule_work(network: Network) -> Work:
    """Schedule of a permutation, a path per node."""
    links = _links(network)
    return _START.then(Work(links * 5e-6, _START.memory + 200.0 * links))


def on_line_work(network: Network, runs: int) -> Work:
    """Runs in which the switches choose the circuits of a message per node."""
    hops = runs * network.topology.routers
    return Work(hops * _CHOICE_SECONDS, _START.memory)
