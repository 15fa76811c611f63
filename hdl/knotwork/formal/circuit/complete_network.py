"""A small network of circuits as a whole: none is released while it is in use."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...emit.ports import network_ports
from ...gateware.circuit.layouts import Kind, group_names, header_layout, report_layout
from ...gateware.wiring_plan import control_widths, interface_module
from ...network import Network
from ..harness import Harness
from ..property import Property
from .contract import Link, NetworkCycle, cycle_length, lca_level, longest_packet
from .switch import inputs_of


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
        self.cycle = NetworkCycle(self, network)
        self.nodes = [_Node(self, node) for node in range(network.topology.nodes)]

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
        self._path = f"node_{topology.label(node)}"
        self._address = Const(topology.address(node), topology.address_width)
        self.up, self.down = (
            Link(
                *(harness, harness.network, harness.cycle, f"{self._path}.{name}"),
                level=0,
                up=up,
                subtree=self._address,
            )
            for name, up in (("o_", True), ("i_", False))
        )
        cycle, report = harness.cycle, harness.port(f"{self._path}.report")
        self.was_active = harness.register(1, "was_active")
        self.sent, self.over = harness.register(1, "sent"), harness.register(1, "over")
        harness.m.d.sync += [
            self.was_active.eq(data.View(report_layout(harness.network), report).active),
            self.sent.eq((self.sent | (self.up.kind == Kind.LAST.value)) & ~cycle.last),
            self.over.eq((self.over | (self.down.kind == Kind.LAST.value)) & ~cycle.last),
        ]
        waits = self.down.seen & (cycle.time <= self.down.first_flit)
        comes = self.down.came & self.down.back & ~self.over
        self.in_use = waits | comes | (self.up.came & self.up.back & ~self.sent)

    def inside(self, name: str, bits: int = 1) -> Signal:
        """Wire in the interface."""
        return self._harness.inside(f"{self._path}.{name}", bits)

    @cached_property
    def _headers(self) -> list[data.View]:
        layout = header_layout(self._harness.network)
        names = ("header_0", "header_1")
        return [data.View(layout, self.inside(name, layout.size)) for name in names]

    def stores(self) -> list[Value]:
        """What is always true of the packets that it stores on their way out."""
        longest, bits = self._longest, self._harness.network.hardware.data_width + 1
        filled, offered = self.inside("filled", 2), self.inside("offered")
        facts = [
            filled.xor() == (self.inside("filling") ^ offered),
            ~filled.any() | Array(filled)[offered],
        ]
        for number in range(2):
            words = [self.inside(f"outgoing[{number * longest + n}]", bits) for n in range(longest)]
            facts += [
                ~filled[number] | Cat(word[-1] for word in words).any(),
                ~filled[number] | (self._headers[number].source == self._address),
            ]
            if longest > 1:
                written = self.inside("written", (longest - 1).bit_length())
                filling = (self.inside("filling") == number) & written.any()
                facts += [
                    ~filling | (self._headers[number].source == self._address),
                    written < longest,
                ]
        return facts

    def quiet(self) -> list[Value]:
        """What is true of it while no network cycle runs, and as one begins."""
        cycle, offering = self._harness.cycle, self.inside("offering")
        first, second = self._headers
        offered = self.inside("offered")
        header = Mux(offered, second.as_value(), first.as_value())
        destination = Mux(offered, second.destination, first.destination)
        facts = [
            ~self.inside("sending"),
            ~self.inside("awaited"),
            ~self.down.back,
            ~self.up.came & ~self.down.came & ~self.sent & ~self.over,
            offering == (self.up.kind == Kind.HEADER.value),
            (self.up.kind == Kind.HEADER.value) | (self.up.kind == Kind.IDLE.value),
            ~offering | (cycle.cycling & self.inside("filled", 2).any()),
            ~offering | (self.up.header.as_value() == header),
        ]
        if self._longest > 1:
            facts.append(self.inside("sent", (self._longest - 1).bit_length()) == 0)
        counts = len(cycle.hop_counts)
        if counts > 1:
            level = lca_level(self._harness.network, self._address, destination)
            facts.append(~offering | (self.inside("meets", counts) == Const(1) << level))
        return facts


def _idle_switches(harness: NetworkHarness) -> list[Value]:
    """That the switches have nothing left of an earlier network cycle."""
    network, facts = harness.network, []
    for router in range(network.topology.routers):
        kind = network.router_kinds[network.router_number[router]]
        path = f"router_{network.topology.router_identifier(router)}"
        for output, port in enumerate(kind.ports[1:]):
            names = group_names(network, port)
            crosspoints = len(inputs_of(network, kind, output))
            facts += [
                harness.inside(f"{path}.{names.out}_kind", 2) == Kind.IDLE.value,
                ~harness.inside(f"{path}.{names.into}_back"),
                harness.inside(f"{path}.crosspoints_{names.out}", crosspoints) == 0,
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
    counted = harness.inside("controller.clock", most.bit_length())
    harness.claim(harness.inside("controller.running") == cycle.cycling)
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
    harness.claim(
        harness.inside("controller.active") == Cat(n.was_active for n in harness.nodes).any()
    )
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
