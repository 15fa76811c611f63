"""Gates of route computations against the rule, wherever the routing can bring a packet."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from helpers.netlist import Netlist
from knotwork.gateware.parts.route import input_turns
from knotwork.routing import Turn
from knotwork.topology import LOCAL


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


def disagreements(networks, component):
    """Comparisons, and what differs from the rule, by network: one netlist for all of them.

    Inputs that have the same turns are one component, at whatever routers unless these differ in
    more.
    """
    m, ports, inputs, expected = Module(), [], {}, {}
    for number, network in enumerate(networks):
        topology, classes = network.topology, network.routing.classes
        address = np.array([topology.address(node) for node in range(topology.nodes)])
        wanted = {}
        for (kind, port, vc_class), turns in asked(network).items():
            for base in range(0, network.routing.virtual_channels, classes):
                module = network.router_kinds[kind]
                ways = input_turns(module, port, base + vc_class)
                router = module.router if network.routing.distinct_groups else 0
                lanes = [
                    Turn(i, base + a, o, b if o == LOCAL else base + b)
                    for i, a, o, b in turns.values()
                ]
                bits = [1 << ways.index(turn) for turn in lanes]
                wanted.setdefault((ways, router), []).extend(zip(turns, bits, strict=True))
        for place, ((ways, router), decisions) in enumerate(wanted.items()):
            name = f"net{number}_place{place}"
            m.submodules[name] = route = component(network, ways, router=router)
            width = topology.address_width
            signals = [Signal(width, name=f"{name}_{end}") for end in ("from", "to")]
            select = Signal(len(ways), name=f"{name}_select")
            m.d.comb += [
                route.address.eq(signals[0]),
                route.destination.eq(signals[1]),
                select.eq(route.select),
            ]
            ports += [*signals, select]
            pairs, bits = zip(*decisions, strict=True)
            inputs[f"{name}_from"], inputs[f"{name}_to"] = address[np.array(pairs).T]
            expected[name] = (number, np.array(bits))
    outputs = Netlist(m, ports).evaluate(**inputs)
    found = {number: [0, 0] for number in range(len(networks))}
    for name, (number, bits) in expected.items():
        found[number][0] += len(bits)
        found[number][1] += int((outputs[f"{name}_select"] != bits).sum())
    return found


def assert_gates_are_the_rule(network, component):
    """Compare one network's gates at every input; packets of all pairs are among what is asked."""
    ((comparisons, different),) = disagreements([network], component).values()
    assert different == 0
    assert comparisons >= network.topology.nodes**2


def channels_named(network):
    """Name for a test's parameter: network and virtual channels."""
    return f"{network.name}_vc{network.routing.virtual_channels}"


def slow(networks):
    """Networks as parameters of slow tests."""
    return [pytest.param(network, marks=pytest.mark.slow) for network in networks]
