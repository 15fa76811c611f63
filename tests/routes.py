"""Gates of route computations against the rule, wherever the routing can bring a packet."""

import numpy as np
from amaranth.hdl import Module, Signal
from knotwork.routing import Turn
from knotwork.topology import LOCAL
from netlist import Netlist


def asked(network):
    """Turns that packets ask for: ``{(kind, port, class): {(router, destination): turn}}``.

    Packets to a destination come from everywhere, so each channel is followed once for it.
    """
    topology, routing = network.topology, network.routing
    found, parameters = {}, routing.parameters
    for destination in range(topology.nodes):
        states, seen = [(source, LOCAL, 0) for source in range(topology.nodes)], set()
        while states:
            router, port, vc_class = state = states.pop()
            if state in seen:
                continue
            seen.add(state)
            out, out_class = map(int, routing.rule(parameters, router, port, vc_class, destination))
            place = int(network.router_number[router]), port, vc_class
            turn = Turn(port, vc_class, out, out_class)
            found.setdefault(place, {})[router, destination] = turn
            if out != LOCAL:
                far = int(topology.neighbours[router, out])
                states.append((far, int(topology.peer_ports[router, out]), out_class))
    return found


def unicast_turns(kind, port, vc):
    """Turns of packets to one node from one input and virtual channel."""
    return tuple(t for t in kind.unicast_turns if (t.input_port, t.input_vc) == (port, vc))


def disagreements(networks, component):
    """Comparisons, and what differs from the rule, by network: one netlist for all of them."""
    m, ports, inputs, expected = Module(), [], {}, {}
    for number, network in enumerate(networks):
        width, nodes = network.topology.address_width, range(network.topology.nodes)
        address = np.array([network.topology.address(node) for node in nodes])
        for place, turns in asked(network).items():
            kind, port, vc_class = place
            for lane in range(network.routing.lanes):
                vc = lane * network.routing.classes + vc_class
                ways = unicast_turns(network.router_kinds[kind], port, vc)
                name = f"net{number}_kind{kind}_port{port}_vc{vc}"
                m.submodules[name] = route = component(network, ways)
                signals = [Signal(width, name=f"{name}_{end}") for end in ("from", "to")]
                select = Signal(len(ways), name=f"{name}_select")
                m.d.comb += [
                    route.address.eq(signals[0]),
                    route.destination.eq(signals[1]),
                    select.eq(route.select),
                ]
                ports += [*signals, select]
                pairs = np.array(list(turns))
                inputs[f"{name}_from"], inputs[f"{name}_to"] = address[pairs.T]
                base = lane * network.routing.classes
                lanes = [
                    Turn(i, base + a, o, b if o == LOCAL else base + b)
                    for i, a, o, b in turns.values()
                ]
                bits = np.array([1 << ways.index(turn) for turn in lanes])
                expected[name] = (number, bits)
    outputs = Netlist(m, ports).evaluate(**inputs)
    found = {number: [0, 0] for number in range(len(networks))}
    for name, (number, bits) in expected.items():
        found[number][0] += len(bits)
        found[number][1] += int((outputs[f"{name}_select"] != bits).sum())
    return found
