"""Size of a router's routes, whatever network they are of: nodes of decision diagrams."""

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
    routing, topology = network.routing, network.topology
    step = -(-topology.nodes // ASKED)
    destinations = range(0, topology.nodes, step)
    addresses = [topology.address(node) for node in destinations]
    classes, parameters, rule = routing.classes, routing.parameters, routing.rule
    outputs: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for turn in kind.unicast_turns:
        output = _output(kind, turn.output_port, turn.output_vc % classes)
        outputs.setdefault((turn.input_port, turn.input_vc % classes), set()).add(output)
    total = 0
    for (port, channel_class), leaving in outputs.items():
        if len(leaving) == 1:
            continue
        number = {output: place for place, output in enumerate(sorted(leaving))}
        outcomes = np.full(1 << topology.address_width, -1)
        for node, address in zip(destinations, addresses, strict=True):
            answer = rule(parameters, kind.router, port, channel_class, node)
            outcomes[address] = number.get(_output(kind, int(answer[0]), int(answer[1])), -1)
        total += decision_nodes(outcomes)
    return total * routing.lanes


def _output(kind: RouterKind, port: int, channel_class: int) -> tuple[int, int]:
    """Output port and class; all classes to a node are one."""
    return port, -1 if port in kind.node_ports else channel_class
