"""What a routing's rule does at each input, enumerated over all pairs of nodes."""

from collections import defaultdict

from knotwork.routing import Turn, lane
from knotwork.topology import LOCAL


def arrivals(network):
    """Turns of first ways at each input: ``{(router, port, vc): {(source, destination): Turn}}``.

    Walks from router to router with nothing but the rule and the graph, wherever packets get to by
    any of their ways.
    """
    return ways_of(network)[0]


def escapes(network):
    """Turns, in the form of `arrivals`, by which blocked packets enter the escape classes."""
    _, *others = ways_of(network)
    return others[-1] if others else {}


def choosing_port(kind, routes, escape_turns):
    """Link's input of a router where most flows have an escape other than their route."""

    def choices(port):
        at = [(kind.router, port, vc) for vc in kind.input_vcs(port)]
        return sum(
            turn != escape_turns.get(place, {}).get(flow, turn)
            for place in at
            for flow, turn in routes.get(place, {}).items()
        )

    return max((port for port in kind.ports if port != LOCAL), key=choices)


def ways_of(network):
    """Turns, in the form of `arrivals`, of first ways, and then of each other way of a packet.

    A packet that has escaped, or is at its node's router, has no others.
    """
    topology, routing = network.topology, network.routing
    ways = [defaultdict(dict) for _ in range(1 + len(routing.other_ways))]
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            codes = topology.address(source), topology.address(destination)
            base = routing.classes * lane(*codes, routing.lanes)
            states, seen = [(source, LOCAL, 0)], set()
            while states:
                router, port, vc_class = state = states.pop()
                if state in seen:
                    continue
                seen.add(state)
                asked = [vc_class]
                if router != destination and vc_class < (routing.escape_class or 0):
                    asked += routing.other_ways
                for channel_class, noted in zip(asked, ways, strict=False):
                    out, out_class = routing.rule(
                        routing.parameters, router, port, channel_class, destination
                    )
                    assert (out == LOCAL) == (router == destination)
                    out_vc = 0 if out == LOCAL else base + out_class
                    turn = Turn(port, base + vc_class, out, out_vc)
                    noted[router, port, base + vc_class][source, destination] = turn
                    if out != LOCAL:
                        after = int(topology.neighbours[router, out])
                        states.append((after, int(topology.peer_ports[router, out]), out_class))
    return list(map(dict, ways))
