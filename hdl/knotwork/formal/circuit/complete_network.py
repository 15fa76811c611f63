"""A small network of circuits as a whole: none is released while it is in use."""

from collections.abc import Sequence

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...emit.modules import planned_ports, planned_shell
from ...emit.ports import network_ports
from ...gateware.circuit.controller import CircuitController
from ...gateware.circuit.interface import CircuitInterface
from ...gateware.circuit.layouts import Kind, report_layout
from ...gateware.circuit.switch import CircuitSwitch
from ...gateware.wiring_plan import (
    control_widths,
    controller_module,
    interface_module,
    router_module,
)
from ...network import Network
from ...untyped import View
from ..harness import Harness
from ..property import Property
from .contract import Link, NetworkCycle, cycle_length, lca_level, longest_packet


class NetworkHarness(Harness):
    """Harness of a whole network of circuits; nothing is assumed of its PEs.

    Parameters
    ----------
    network : Network
        Network with circuits, whose network cycles end early.
    name : str
        Name of its top module.
    """

    # A solver that sees the words of the stores finds them in registers.
    keeps_memories = False

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *network_ports(network))
        self.network = network
        self._widths = control_widths(network)
        for ports in planned_ports(network, interface_module(network)):
            self._widths |= ports
        self.gateware.add_instance(planned_shell(network, controller_module(network)), "controller")
        self.controller = self.component("controller", CircuitController)
        self.switches = [self._switch(router) for router in range(network.topology.routers)]
        self.cycle = NetworkCycle(self, network)
        self.nodes = [_Node(self, node) for node in range(network.topology.nodes)]

    def _switch(self, router: int) -> CircuitSwitch:
        network = self.network
        kind = network.router_kinds[network.router_number[router]]
        path = f"router_{network.topology.router_identifier(router)}"
        self.gateware.add_instance(planned_shell(network, router_module(network, kind)), path)
        return self.component(path, CircuitSwitch)

    def port(self, name: str) -> Signal:
        """Port of the network; or of an interface, by its path, or what the controller says."""
        if self.has_port(name):
            return super().port(name)
        return self.inside(name, self._widths[name.rpartition(".")[-1]])


class _Node:
    """Interface of a PE, and its links.

    Members
    -------
    up, down : Link
        To its switch, and from it.
    was_active : Signal
        It reported in the cycle before that it was active.
    sent, over : Signal
        Its packet's last flit is on its way; the last flit of a packet to it has come. The release
        clears both.
    in_use : Value
        A circuit to it or from it must stay.
    """

    def __init__(self, harness: NetworkHarness, node: int) -> None:
        self._harness, topology = harness, harness.network.topology
        self._longest = longest_packet(harness.network)
        path = f"node_{topology.label(node)}"
        interface = planned_shell(harness.network, interface_module(harness.network))
        harness.gateware.add_instance(interface, path)
        self._interface = harness.component(path, CircuitInterface)
        self._address = Const(topology.address(node), topology.address_width)
        self.up, self.down = (
            Link(
                *(harness, harness.network, harness.cycle, f"{path}.{name}"),
                level=0,
                up=up,
                subtree=self._address,
            )
            for name, up in (("o_", True), ("i_", False))
        )
        cycle = harness.cycle
        report = data.View(report_layout(harness.network), harness.probe(self._interface.report))
        self.was_active = harness.register(1, "was_active")
        self.sent, self.over = harness.register(1, "sent"), harness.register(1, "over")
        harness.m.d.sync += [
            self.was_active.eq(report.active),
            self.sent.eq((self.sent | (self.up.kind == Kind.LAST.value)) & ~cycle.last),
            self.over.eq((self.over | (self.down.kind == Kind.LAST.value)) & ~cycle.last),
        ]
        waits = self.down.seen & (cycle.time <= self.down.first_flit)
        comes = self.down.came & self.down.back & ~self.over
        self.in_use = waits | comes | (self.up.came & self.up.back & ~self.sent)

    @property
    def _headers(self) -> list[View]:
        return [self._harness.probe_view(header) for header in self._interface.headers]

    def stores(self) -> list[Value]:
        """What is always true of the packets that it stores on their way out."""
        longest, interface, probe = self._longest, self._interface, self._harness.probe
        filled, offered, fills = map(
            probe, (interface.filled, interface.offered, interface.filling)
        )
        facts = [
            filled.xor() == (fills ^ offered),
            ~filled.any() | Array(filled)[offered],
        ]
        for number in range(2):
            places = range(number * longest, (number + 1) * longest)
            words = self._harness.probe_words(interface.stored_beat, places)
            facts += [
                ~filled[number] | Cat(word[-1] for word in words).any(),
                ~filled[number] | (self._headers[number].source == self._address),
            ]
            if longest > 1:
                written = probe(interface.written)
                filling = (fills == number) & written.any()
                facts += [
                    ~filling | (self._headers[number].source == self._address),
                    written < longest,
                ]
        return facts

    def quiet(self) -> list[Value]:
        """What is true of it while no network cycle runs, and as one begins."""
        cycle, interface, probe = self._harness.cycle, self._interface, self._harness.probe
        first, second = self._headers
        offering, offered = probe(interface.offering), probe(interface.offered)
        header = Mux(offered, second.as_value(), first.as_value())
        destination = Mux(offered, second.destination, first.destination)
        facts = [
            ~probe(interface.sending),
            ~probe(interface.awaited),
            ~self.down.back,
            ~self.up.came & ~self.down.came & ~self.sent & ~self.over,
            offering == (self.up.kind == Kind.HEADER.value),
            (self.up.kind == Kind.HEADER.value) | (self.up.kind == Kind.IDLE.value),
            ~offering | (cycle.cycling & probe(interface.filled).any()),
            ~offering | (self.up.header.as_value() == header),
        ]
        if self._longest > 1:
            facts.append(probe(interface.sent) == 0)
        counts = len(cycle.hop_counts)
        if counts > 1:
            level = lca_level(self._harness.network, self._address, destination)
            facts.append(~offering | (probe(interface.meets) == Const(1) << level))
        return facts


def _idle_switches(harness: NetworkHarness) -> list[Value]:
    """That the switches have nothing left of an earlier network cycle."""
    facts: list[Value] = []
    for switch in harness.switches:
        for into, out, crosspoints in zip(switch.i, switch.o, switch.crosspoints, strict=True):
            facts += [
                harness.probe(out.kind) == Kind.IDLE.value,
                ~harness.probe(into.back),
                harness.probe(crosspoints) == 0,
            ]
    return facts


def _claim_kept_circuits(harness: NetworkHarness) -> None:
    """Claim that circuits are released when none is in use, and not before.

    Between two releases nothing is claimed of the switches: the induction is longer than a network
    cycle, so that it follows every network cycle from its begin.
    """
    cycle, control = harness.cycle, harness.cycle.control
    for rule in cycle.rules():
        harness.claim(rule)
    farthest = cycle.hop_counts[-1]
    most = 2 * farthest + 4
    counted = harness.probe(harness.controller.clock)
    harness.claim(harness.probe(harness.controller.running) == cycle.cycling)
    harness.claim(counted == Mux(cycle.cycling, Mux(cycle.time < most, cycle.time, most), 0))
    begins = ~cycle.cycling | (cycle.time == 0)
    quiet = list(_idle_switches(harness))
    for node in harness.nodes:
        for fact in node.stores():
            harness.claim(fact)
        quiet += node.quiet()
        harness.claim(~control.release | ~node.in_use)
    for fact in quiet:
        harness.claim(~begins | fact)
    active = Cat(node.was_active for node in harness.nodes).any()
    harness.claim(harness.probe(harness.controller.active) == active)
    sent, came = (
        sum((getattr(node, name) for node in harness.nodes), Const(0)) for name in ("sent", "over")
    )
    harness.claim(~control.release | (sent == came))
    first, *_, last = harness.nodes
    harness.cover(control.release & first.sent & last.over & (first.up.hops == farthest))
    if len(cycle.hop_counts) > 1 or cycle.longest > 1:
        harness.cover(control.release & (cycle.time < cycle.length - 1) & first.over)


def network_properties(network: Network) -> Sequence[Property]:
    """Properties of a whole network."""
    longest = cycle_length(network)
    return [
        Property(
            name="kept_circuits",
            text="no circuit is released before the last flit of its packet has come, though a "
            "network cycle ends with its last circuit",
            claim=_claim_kept_circuits,
            induction=longest + 2,
            depth=longest + 6,
            cover=longest + 8,
        )
    ]
