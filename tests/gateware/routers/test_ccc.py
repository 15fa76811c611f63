"""Gates against the rule, wherever the routing can bring a packet.

`line_sweeps` itself is tested in tests/routing/test_ccc.py.
"""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from knotwork import CubeConnectedCycles, Network
from knotwork.gateware.parts.route import input_turns
from knotwork.gateware.routers.ccc import (
    EXCHANGES,
    ROUTE_COMPUTATIONS,
    SEQUENCERS,
    UnicastRoute,
)
from knotwork.routing import Turn, routings_of
from knotwork.topology import LOCAL
from netlist import Netlist

NETWORKS = [Network(CubeConnectedCycles(n=n)) for n in range(2, 8)]
NETWORKS += [Network(CubeConnectedCycles(n=n), virtual_channels=1) for n in (3, 6)]
NETWORKS += [Network(CubeConnectedCycles(n=4), virtual_channels=4)]


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
    """Comparisons, and what differs from the rule, by network: one netlist for all of them."""
    m, ports, inputs, expected = Module(), [], {}, {}
    for number, network in enumerate(networks):
        width = network.topology.address_width
        for place, turns in asked(network).items():
            kind, port, vc_class = place
            for lane in range(network.routing.lanes):
                vc = lane * network.routing.classes + vc_class
                ways = input_turns(network.router_kinds[kind], port, vc)
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
                inputs[f"{name}_from"], inputs[f"{name}_to"] = pairs.T
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


@pytest.fixture(scope="module")
def compared():
    return disagreements(NETWORKS, UnicastRoute)


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() | EXCHANGES.keys() == routings_of("ccc").keys()
    assert EXCHANGES.keys() == SEQUENCERS.keys()


@pytest.mark.parametrize(
    "number",
    range(len(NETWORKS)),
    ids=lambda number: f"{NETWORKS[number].name}_vc{NETWORKS[number].routing.virtual_channels}",
)
def test_the_gates_are_the_rule_at_every_input(compared, number):
    comparisons, different = compared[number]
    assert different == 0
    assert comparisons >= NETWORKS[number].topology.nodes ** 2


def test_a_wrong_decision_is_seen():
    class NeverTheShorterWay(UnicastRoute):
        def _is_forward_shorter(self, m, *, swept):
            return ~super()._is_forward_shorter(m, swept=swept)

    ((_, different),) = disagreements(NETWORKS[2:3], NeverTheShorterWay).values()
    assert different > 0
