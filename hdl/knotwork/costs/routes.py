"""Size of a router's routes, whatever network they are of: nodes of decision diagrams."""

from collections.abc import Mapping

import numpy as np

from ..network import Network, RouterKind

ASKED = 1024
"""Destinations about which a rule is asked; in larger networks those are a sample."""


def decision_nodes(outcomes: np.ndarray) -> int:
    """Nodes of a binary decision diagram: fewest of two orders of the address bits.

    Parameters
    ----------
    outcomes : ndarray
        Outcome by address, int64 of a power of two of entries; -1 where any outcome is right.

    References
    ----------
    R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", IEEE Transactions on
    Computers C-35, 1986.
    """
    bits = len(outcomes).bit_length() - 1
    turned = outcomes.reshape((2,) * bits).transpose(range(bits)[::-1]).reshape(-1)
    return min(_nodes(outcomes), _nodes(turned))


def _nodes(outcomes: np.ndarray) -> int:
    made: dict[tuple[int, object, object], tuple[str, int]] = {}
    met: dict[bytes, object] = {}

    def node(part: np.ndarray) -> object:
        """Leaf, node or, where any outcome is right, None."""
        known = part[part >= 0]
        if len(known) == 0:
            return None
        if (known == known[0]).all():
            return int(known[0])
        key = part.tobytes()
        if key not in met:
            low, high = (node(half) for half in np.split(part, 2))
            if low is None or high is None or low == high:
                met[key] = high if low is None else low
            else:
                met[key] = made.setdefault((len(part), low, high), ("node", len(made)))
        return met[key]

    node(outcomes)
    return len(made)


def route_nodes(network: Network, kind: RouterKind) -> int:
    """Nodes of the decision diagrams of all route computations of a packet router.

    A diagram tells the turn of a packet from one input channel by its destination's address.
    Destinations whose packets do not come there may have any.
    """
    asked = {place: place[1] for place in _turns(network, kind)}
    return _diagrams(network, kind, asked)


def escape_nodes(network: Network, kind: RouterKind) -> int:
    """Nodes of the decision diagrams of the ways by which blocked packets escape.

    Packets that have escaped stay in the escape class, and `route_nodes` counts their ways.
    """
    escape = network.routing.escape_class
    found = _turns(network, kind)
    asked = {
        place: escape
        for place, outputs in found.items()
        if escape not in (None, place[1]) and any(number == escape for _, number in outputs)
    }
    return _diagrams(network, kind, asked)


_Place = tuple[int, int]  # port and class of its virtual channels


def _turns(network: Network, kind: RouterKind) -> dict[_Place, set[_Place]]:
    """Outputs to which packets to one node turn, by input."""
    classes = network.routing.classes
    outputs: dict[_Place, set[_Place]] = {}
    for turn in kind.unicast_turns:
        output = _output(kind, turn.output_port, turn.output_vc % classes)
        outputs.setdefault((turn.input_port, turn.input_vc % classes), set()).add(output)
    return outputs


def _diagrams(network: Network, kind: RouterKind, asked: Mapping[_Place, int]) -> int:
    """Nodes of the diagrams of some inputs; of each the class whose rule is asked."""
    routing, topology = network.routing, network.topology
    step = -(-topology.nodes // ASKED)
    destinations = range(0, topology.nodes, step)
    addresses = [topology.address(node) for node in destinations]
    parameters, rule, turns = routing.parameters, routing.rule, _turns(network, kind)
    total = 0
    for place, channel_class in asked.items():
        leaving = turns[place]
        if len(leaving) == 1:
            continue
        number = {output: at for at, output in enumerate(sorted(leaving))}
        outcomes = np.full(1 << topology.address_width, -1)
        for node, address in zip(destinations, addresses, strict=True):
            answer = rule(parameters, kind.router, place[0], channel_class, node)
            outcomes[address] = number.get(_output(kind, int(answer[0]), int(answer[1])), -1)
        total += decision_nodes(outcomes)
    return total * routing.lanes


def _output(kind: RouterKind, port: int, channel_class: int) -> tuple[int, int]:
    """Output port and class; all classes to a node are one."""
    return port, -1 if port in kind.node_ports else channel_class
