"""Gates of broadcasts against the rule, wherever a broadcast can bring a copy."""

import numpy as np
from amaranth.hdl import Module, Signal
from knotwork.routing import Turn
from knotwork.topology import LOCAL
from netlist import Netlist


def copies(network):
    """Copies sent: ``{(kind, port, class): {(router, source, label): {turn: label}}}``."""
    topology, routing = network.topology, network.routing
    rule, parameters, found = routing.broadcast.rule, routing.parameters, {}
    for source in range(topology.nodes):
        states = [(source, LOCAL, 0, 0)]
        while states:
            router, port, vc_class, label = states.pop()
            place = int(network.router_number[router]), port, vc_class
            sent = found.setdefault(place, {}).setdefault((router, source, label), {})
            if port != LOCAL:
                sent[Turn(port, vc_class, LOCAL, 0)] = 0
            for output in topology.connected_ports(router)[1:]:
                carried, out_class = rule(parameters, router, port, vc_class, label, source, output)
                if carried >= 0:
                    sent[Turn(port, vc_class, output, int(out_class))] = int(carried)
                    far = int(topology.neighbours[router, output])
                    peer = int(topology.peer_ports[router, output])
                    states.append((far, peer, int(out_class), int(carried)))
    return found


def branch_disagreements(network, component):
    """Comparisons, and what differs from the rule."""
    m, ports, inputs, expected = Module(), [], {}, {}
    topology, routing = network.topology, network.routing
    width, bits = topology.address_width, routing.broadcast.label_width
    address = np.array([topology.address(node) for node in range(topology.nodes)])
    for (kind, port, vc_class), asked in copies(network).items():
        turns = network.router_kinds[kind].broadcast_turns
        ways = tuple(t for t in turns if (t.input_port, t.input_vc) == (port, vc_class))
        name = f"kind{kind}_port{port}_vc{vc_class}"
        branch = component(network, ways, router=network.router_kinds[kind].router)
        m.submodules[name] = branch
        signals = {
            "address": Signal(width, name=f"{name}_address"),
            "source": Signal(width, name=f"{name}_source"),
            "label": Signal(max(bits, 1), name=f"{name}_label"),
        }
        m.d.comb += [getattr(branch, pin).eq(signal) for pin, signal in signals.items()]
        select = Signal(len(ways), name=f"{name}_select")
        m.d.comb += select.eq(branch.select)
        ports += [*signals.values(), select]
        routers, sources, labels = np.array(list(asked)).T
        inputs |= {
            f"{name}_address": address[routers],
            f"{name}_source": address[sources],
            f"{name}_label": labels,
        }
        wanted = [sum(1 << ways.index(turn) for turn in sent) for sent in asked.values()]
        expected[f"{name}_select"] = np.array(wanted), np.full(len(asked), True)
        for number, turn in enumerate(ways):
            if turn.output_port == LOCAL or bits == 0:
                continue
            carried = Signal(bits, name=f"{name}_carried{number}")
            m.d.comb += carried.eq(branch.labels[number])
            ports.append(carried)
            wanted = np.array([sent.get(turn, -1) for sent in asked.values()])
            expected[f"{name}_carried{number}"] = wanted, wanted >= 0
    outputs = Netlist(m, ports).evaluate(**inputs)
    comparisons = different = 0
    for name, (wanted, counts) in expected.items():
        found = np.broadcast_to(outputs[name], wanted.shape)
        comparisons += int(counts.sum())
        different += int((found != wanted)[counts].sum())
    return comparisons, different
