"""Gates against the rules, wherever a broadcast can bring a copy.

The rules themselves are tested in tests/routing/test_wk_broadcast.py.
"""

from collections import deque
from functools import cache

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from helpers.netlist import Netlist
from knotwork import Network, WkRecursive
from knotwork.gateware.networks.wk import BRANCH_COMPUTATIONS
from knotwork.gateware.networks.wk_broadcast import LabelBranches
from knotwork.gateware.parts.route import BranchComputation
from knotwork.routing import Turn
from knotwork.topology import LOCAL

SIZES = [(3, 3, {}), (4, 2, {}), (2, 4, {}), (3, 1, {})]
SIZES += [(3, 3, {"virtual_channels": 2})]
SIZES += [(2, 4, {"virtual_channels": 1}), (3, 2, {"virtual_channels": 4})]
LARGE = [(4, 3, {}), (5, 2, {}), (2, 4, {"virtual_channels": 2})]
CASES = [(rule, *size) for size in SIZES for rule in BRANCH_COMPUTATIONS]


@cache
def made(rule, w, levels, virtual_channels=None):
    channels = {} if virtual_channels is None else {"virtual_channels": virtual_channels}
    return Network(WkRecursive(w=w, levels=levels), broadcast=rule, **channels)


def in_hardware(network, label, out_class):
    """Label as the gates carry it, and the bits of it that have a meaning."""
    if network.routing.broadcast.name != "label":
        return label, -1
    topology = network.topology
    m, t = divmod(label, topology.w)
    known = network.routing.classes >= topology.levels
    # Before a link between clusters has been crossed no digit is looked at.
    meant = (1 << topology.digit_bits) - 1 if m else 0
    if known:
        assert out_class == m
        return t, meant
    return m << topology.digit_bits | t, meant | -1 << topology.digit_bits


def reached(network):
    """Copies that come to routers: ``{(kind, port, class): [(router, source, label, copies)]}``.

    `copies` has the label that leaves by each turn between classes.
    """
    topology, routing = network.topology, network.routing
    rule, parameters, found = routing.broadcast.rule, routing.parameters, {}
    for source in range(topology.nodes):
        queue = deque([(source, LOCAL, 0, 0)])
        while queue:
            router, port, vc_class, label = queue.popleft()
            copies = {} if port == LOCAL else {Turn(port, vc_class, LOCAL, 0): None}
            for out in topology.connected_ports(router)[1:]:
                sent, out_class = rule(parameters, router, port, vc_class, label, source, out)
                if sent >= 0:
                    copies[Turn(port, vc_class, out, int(out_class))] = int(sent)
                    far = int(topology.neighbours[router, out])
                    peer = int(topology.peer_ports[router, out])
                    queue.append((far, peer, int(out_class), int(sent)))
            place = int(network.router_number[router]), port, vc_class
            found.setdefault(place, []).append((router, source, label, copies))
    return found


class Comparison:
    """One module with the gates of every input of some networks, to be held to the rules."""

    def __init__(self):
        self.module, self.ports, self.inputs, self.expected = Module(), [], {}, []

    def add(self, number, network, component):
        for (kind, port, vc_class), copies in reached(network).items():
            for lane in range(network.routing.lanes):
                vc = lane * network.routing.classes + vc_class
                name = f"net{number}_kind{kind}_port{port}_vc{vc}"
                self._add_input(number, network, component, (kind, port, vc, name), copies)

    def _add_input(self, number, network, component, place, copies):
        number_of_kind, port, vc, name = place
        kind, classes = network.router_kinds[number_of_kind], network.routing.classes
        ways = tuple(t for t in kind.broadcast_turns if (t.input_port, t.input_vc) == (port, vc))
        self.module.submodules[name] = gates = component(network, ways, router=kind.router)
        address = network.topology.address
        coming = [
            0 if port == LOCAL else in_hardware(network, label, vc % classes)[0]
            for _, _, label, _ in copies
        ]
        given = {
            "address": [address(router) for router, *_ in copies],
            "source": [address(source) for _, source, *_ in copies],
            "label": coming,
        }
        for end, values in given.items():
            signal = Signal(getattr(gates, end).shape(), name=f"{name}_{end}")
            self.module.d.comb += getattr(gates, end).eq(signal)
            if len(signal):
                self.ports.append(signal)
                self.inputs[signal.name] = np.array(values)
        leaving = {}
        for way, label in zip(ways, gates.labels, strict=True):
            signal = Signal(label.shape(), name=f"{name}_out{len(leaving)}")
            self.module.d.comb += signal.eq(label)
            leaving[way] = signal.name
            self.ports += [signal] if len(signal) else []
        select = Signal(len(ways), name=f"{name}_select")
        self.module.d.comb += select.eq(gates.select)
        self.ports.append(select)
        of_lane = [self._in_lane(found, vc - vc % classes) for *_, found in copies]
        self.expected.append((number, network, select.name, leaving, of_lane))

    @staticmethod
    def _in_lane(copies, base):
        return {
            Turn(i, base + a, o, b if o == LOCAL else base + b): label
            for (i, a, o, b), label in copies.items()
        }

    def differences(self):
        """Comparisons, and differences from the rules, by number of the network."""
        outputs = Netlist(self.module, self.ports).evaluate(**self.inputs)
        found = {}
        for number, network, select, leaving, copies in self.expected:
            counts = found.setdefault(number, [0, 0])
            for place, sent in enumerate(copies):
                counts[0] += 1
                chosen = outputs[select] if outputs[select].ndim == 0 else outputs[select][place]
                bits = sum(1 << list(leaving).index(turn) for turn in sent)
                wrong = int(chosen) != bits
                for turn, label in sent.items():
                    values = outputs.get(leaving[turn])
                    if label is None or values is None:
                        continue
                    value = values if values.ndim == 0 else values[place]
                    classes = network.routing.classes
                    carried, meant = in_hardware(network, label, turn.output_vc % classes)
                    wrong |= (int(value) ^ carried) & meant != 0
                counts[1] += wrong
        return found


@pytest.fixture(scope="module")
def compared():
    comparison = Comparison()
    for number, (rule, w, levels, keys) in enumerate(CASES):
        comparison.add(number, made(rule, w, levels, **keys), BRANCH_COMPUTATIONS[rule])
    return comparison.differences()


def test_every_broadcast_of_routers_has_its_gates():
    options = made("label", 3, 3).routing.options_class
    words = options.keys()["broadcast"].metadata["kind"].words
    assert [*BRANCH_COMPUTATIONS, "no"] == list(words)


@pytest.mark.parametrize(
    "number",
    range(len(CASES)),
    ids=lambda number: "_".join(map(str, [*CASES[number][:3], *CASES[number][3].values()])),
)
def test_the_gates_are_the_rule_at_every_input(compared, number):
    rule, w, levels, keys = CASES[number]
    comparisons, different = compared[number]
    network = made(rule, w, levels, **keys)
    assert different == 0
    assert comparisons == w ** (2 * levels) * network.routing.lanes  # once a source and router


@pytest.mark.slow
@pytest.mark.parametrize("rule", BRANCH_COMPUTATIONS)
def test_the_gates_of_large_networks_are_the_rule(rule):
    comparison = Comparison()
    for number, (w, levels, keys) in enumerate(LARGE):
        comparison.add(number, made(rule, w, levels, **keys), BRANCH_COMPUTATIONS[rule])
    found = comparison.differences()
    assert [different for _, different in found.values()] == [0] * len(LARGE)
    assert [compared for compared, _ in found.values()] == [
        w ** (2 * levels) * made(rule, w, levels, **keys).routing.lanes for w, levels, keys in LARGE
    ]


def test_a_wrong_decision_and_a_wrong_label_are_seen():
    class Reversed(LabelBranches):
        def _leaves(self, m):
            return ~super()._leaves(m)

    class Unlabelled(LabelBranches):
        def _labels(self, m):
            within, _ = super()._labels(m)
            return within, within

    comparison = Comparison()
    components: list[type[BranchComputation]] = [Reversed, Unlabelled]
    for number, component in enumerate(components):
        comparison.add(number, made("label", 3, 3), component)
    assert all(different for _, different in comparison.differences().values())
