"""Gates that route and branch, against the rule, wherever the routing can bring a flit."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from helpers.netlist import Netlist
from knotwork.gateware.packet.inputs import input_unicast_turns, other_ways
from knotwork.gateware.parts.network_routes import branch_computation, route_computation
from knotwork.gateware.parts.table_route import TableRoute
from knotwork.routing import Turn
from knotwork.topology import LOCAL


def slow(networks):
    """Networks as parameters of slow tests."""
    return [pytest.param(network, marks=pytest.mark.slow) for network in networks]


class Comparison:
    """Components in one netlist, and the outputs that they must have; what differs, by key."""

    def __init__(self):
        self._module, self._ports, self._inputs, self._expected = Module(), [], {}, []
        self._components = 0

    def add(self, key, component, inputs, outputs):
        """Add a component.

        Parameters
        ----------
        inputs : dict
            Numbers of each case, by the component's member.
        outputs : list
            Value, its numbers in each case, and the bits that have a meaning.
        """
        name = f"component{self._components}"
        self._components += 1
        self._module.submodules[name] = component
        for pin, numbers in inputs.items():
            member = getattr(component, pin)
            port = Signal(len(member), name=f"{name}_{pin}")
            self._module.d.comb += member.eq(port)
            if len(port):
                self._ports.append(port)
                self._inputs[port.name] = np.array(numbers)
        for place, (value, numbers, meant) in enumerate(outputs):
            port = Signal(len(value), name=f"{name}_out{place}")
            self._module.d.comb += port.eq(value)
            if len(port):
                self._ports.append(port)
                expected = np.broadcast_arrays(np.array(numbers), np.array(meant))
                self._expected.append((key, port.name, *expected))

    def differences(self):
        """Numbers compared, and how many of them differ, by key."""
        outputs, found = Netlist(self._module, self._ports).evaluate(**self._inputs), {}
        for key, name, numbers, meant in self._expected:
            compared, different = found.get(key, (0, 0))
            wrong = (outputs[name] ^ numbers) & meant != 0
            found[key] = compared + int((meant != 0).sum()), different + int(wrong.sum())
        return found


def _in_lane(turn, base):
    """Turn of the first lane in the lane whose virtual channels begin with this one."""
    into, entered, output, left = turn
    return Turn(into, base + entered, output, left if output == LOCAL else base + left)


def _lanes(network):
    """First virtual channel of each lane."""
    return range(0, network.routing.virtual_channels, network.routing.classes)


def asked(network):
    """Turns of packets' first ways, and then of each other way, in the first lane.

    Each is ``{(kind, port, class): {(router, label): turn}}``. Packets to a destination come
    from everywhere, so each channel is followed once for it, and for each number that they write.
    """
    topology, routing = network.topology, network.routing
    parameters, ways = routing.parameters, [{} for _ in range(1 + len(routing.other_ways))]
    for label in range(routing.labels):
        destination = label % topology.nodes
        sources = [node for node in range(topology.nodes) if routing.writes(node, label)]
        states, seen = [(source, LOCAL, 0) for source in sources], set()
        while states:
            router, port, vc_class = state = states.pop()
            if state in seen:
                continue
            seen.add(state)
            numbers = [vc_class]
            if router != destination and vc_class < (routing.escape_class or 0):
                numbers += routing.other_ways
            for found, asks in zip(ways, numbers, strict=False):
                out, out_class = map(int, routing.rule(parameters, router, port, asks, label))
                place = int(network.router_number[router]), port, vc_class
                turn = Turn(port, vc_class, out, out_class)
                found.setdefault(place, {})[router, label] = turn
                if out != LOCAL:
                    far = int(topology.neighbours[router, out])
                    states.append((far, int(topology.peer_ports[router, out]), out_class))
    return ways


def disagreements(networks, gates_of=None):
    """Decisions compared with the rule, and how many differ, by the networks' keys.

    `gates_of` has other gates than the networks' own, by key. Inputs that have the same turns are
    one component, at whatever routers unless these differ in more.
    """
    comparison = Comparison()
    for key, network in networks.items():
        topology, wanted = network.topology, {}
        codes = network.routing.destination_codes
        others = [None, *other_ways(network)]
        for way, found in zip(others, asked(network), strict=True):
            for (number, port, vc_class), turns in found.items():
                kind = network.router_kinds[number]
                for base in _lanes(network):
                    unicast = input_unicast_turns(network, kind, port, base + vc_class)
                    escape = unicast.has_escaped or (way is not None and way.is_escape)
                    gates = (gates_of or {}).get(key) or route_computation(network, escape=escape)
                    differ = network.routing.distinct_groups or issubclass(gates, TableRoute)
                    router = kind.router if differ else 0
                    choice = unicast.turns if way is None else unicast.of_way(way)
                    bits = [1 << choice.index(_in_lane(turn, base)) for turn in turns.values()]
                    place = gates, choice, router, None if way is None else way.rule_class
                    wanted.setdefault(place, []).extend(zip(turns, bits, strict=True))
        for (gates, choice, router, number), decisions in wanted.items():
            route = gates(network, choice, router=router, rule_class=number)
            pairs, bits = zip(*decisions, strict=True)
            inputs = {
                "address": [topology.address(here) for here, _ in pairs],
                "destination": [codes[there] for _, there in pairs],
            }
            if "table" in route.signature.members:
                inputs["table"] = [route.rows.constant(here).value for here, _ in pairs]
            comparison.add(key, route, inputs, [(route.select, bits, -1)])
    return comparison.differences()


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


def _carried(network, label, out_class):
    """Label as the gates carry it, and the bits of it that have a meaning."""
    if network.routing.broadcast.name != "label":
        return label, -1
    topology = network.topology
    level, digit = divmod(label, topology.w)
    # Before a link between clusters has been crossed no digit is looked at.
    meant = (1 << topology.digit_bits) - 1 if level else 0
    if network.routing.classes >= topology.levels:  # the class is the level
        assert out_class == level
        return digit, meant
    return level << topology.digit_bits | digit, meant | -1 << topology.digit_bits


def branch_disagreements(networks, gates_of=None):
    """Branches and labels compared with the rule, and how many differ, by the networks' keys."""
    comparison = Comparison()
    for key, network in networks.items():
        gates = (gates_of or {}).get(key) or branch_computation(network)
        address = network.topology.address
        classes = network.routing.classes
        for (number, port, vc_class), cases in copies(network).items():
            kind = network.router_kinds[number]
            for base in _lanes(network):
                turns = kind.broadcast_turns
                turns = tuple(turn for turn in turns if turn[:2] == (port, base + vc_class))
                branch = gates(network, turns, router=kind.router)
                sent = [
                    {_in_lane(turn, base): label for turn, label in one.items()}
                    for one in cases.values()
                ]
                came = [
                    0 if port == LOCAL else _carried(network, label, vc_class)[0]
                    for _, _, label in cases
                ]
                inputs = {
                    "address": [address(router) for router, *_ in cases],
                    "source": [address(source) for _, source, _ in cases],
                    "label": came,
                }
                taken = [sum(1 << turns.index(turn) for turn in one) for one in sent]
                outputs = [(branch.select, taken, -1)]
                for turn, label in zip(turns, branch.labels, strict=True):
                    if turn.output_port != LOCAL:
                        labels = [
                            _carried(network, one[turn], turn.output_vc % classes)
                            if turn in one
                            else (0, 0)
                            for one in sent
                        ]
                        outputs.append((label, *zip(*labels, strict=True)))
                comparison.add(key, branch, inputs, outputs)
    return comparison.differences()
