"""Gates of broadcasts against the rule, wherever a broadcast can bring a copy."""

import numpy as np
from amaranth.hdl import Module, Signal
from helpers.netlist import Netlist
from knotwork.routing import Turn
from knotwork.topology import LOCAL


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
    """Comparisons, and what differs from the rule.

    Inputs that have the same turns, at whatever routers, are one component.
    """
    topology, bits = network.topology, network.routing.broadcast.label_width
    address = np.array([topology.address(node) for node in range(topology.nodes)])
    wanted = {}
    for (kind, port, vc), asked in copies(network).items():
        found = network.router_kinds[kind]
        turns = found.broadcast_turns
        ways = tuple(t for t in turns if (t.input_port, t.input_vc) == (port, vc))
        wanted.setdefault(ways, (found.router, []))[1].extend(asked.items())
    m, ports, inputs, expected = Module(), [], {}, {}
    for place, (ways, (router, decisions)) in enumerate(wanted.items()):
        name = f"place{place}"
        m.submodules[name] = branch = component(network, ways, router=router)
        widths = {"address": len(branch.address), "source": len(branch.source), "label": bits or 1}
        signals = {pin: Signal(width, name=f"{name}_{pin}") for pin, width in widths.items()}
        m.d.comb += [getattr(branch, pin).eq(signal) for pin, signal in signals.items()]
        select = Signal(len(ways), name=f"{name}_select")
        m.d.comb += select.eq(branch.select)
        ports += [*signals.values(), select]
        routers, sources, labels = np.array([state for state, _ in decisions]).T
        inputs[f"{name}_address"], inputs[f"{name}_source"] = address[routers], address[sources]
        inputs[f"{name}_label"] = labels
        taken = [sum(1 << ways.index(turn) for turn in sent) for _, sent in decisions]
        expected[f"{name}_select"] = np.array(taken)
        for number, turn in enumerate(ways):
            if turn.output_port == LOCAL or bits == 0:
                continue
            carried = Signal(bits, name=f"{name}_carried{number}")
            m.d.comb += carried.eq(branch.labels[number])
            ports.append(carried)
            expected[f"{name}_carried{number}"] = np.array(
                [sent.get(turn, -1) for _, sent in decisions]
            )
    outputs = Netlist(m, ports).evaluate(**inputs)
    comparisons = different = 0
    for name, numbers in expected.items():
        counts = numbers >= 0  # a label means something where the copy is sent
        found = np.broadcast_to(outputs[name], numbers.shape)
        comparisons += int(counts.sum())
        different += int((found != numbers)[counts].sum())
    return comparisons, different
