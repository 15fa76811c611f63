"""What a routing's rule does at each input, enumerated over all pairs of nodes."""

from collections import defaultdict

from knotwork.routing import Turn, lane
from knotwork.topology import LOCAL


def arrivals(network):
    """Turns asked for at each input: ``{(router, port, vc): {(source, destination): Turn}}``.

    Walks from router to router with nothing but the rule and the graph.
    """
    topology, routing = network.topology, network.routing
    found = defaultdict(dict)
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            codes = topology.address(source), topology.address(destination)
            base = routing.classes * lane(*codes, routing.lanes)
            router, port, vc_class = source, LOCAL, 0
            while True:
                out, out_class = routing.rule(
                    routing.parameters, router, port, vc_class, destination
                )
                out_vc = 0 if out == LOCAL else base + out_class
                turn = Turn(port, base + vc_class, out, out_vc)
                found[router, port, base + vc_class][source, destination] = turn
                if out == LOCAL:
                    assert router == destination
                    break
                port = int(topology.peer_ports[router, out])
                router = int(topology.neighbours[router, out])
                vc_class = out_class
    return dict(found)
