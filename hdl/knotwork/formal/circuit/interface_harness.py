"""Interface of a PE under proof, and the packets that it stores on their way out."""

from functools import cached_property

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.circuit.layouts import Kind, report_layout
from ...gateware.wiring_plan import interface_module
from ...network import Network
from ..harness import Harness
from .contract import Link, NetworkCycle
from .nodes import is_node, levels_of, longest_packet, may_send


class InterfaceHarness(Harness):
    """Harness of a PE's interface: switch and controller keep to `contract`, the PE is free.

    Parameters
    ----------
    network : Network
        Network with circuits.
    name : str
        Name of the interface's module.

    Members
    -------
    up, down : Link
        To its switch, and from it.
    longest : int
        Flits of the longest packet.
    report : View
        What it tells the controller.
    use_facts : list of Value
        What the rules about circuits in use imply about the registers here.
    """

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *planned_ports(network, interface_module(network)))
        self.network = network
        self.longest = longest_packet(network)
        self.address = self.constant("address")
        self.environment(is_node(network, self.address))
        self.cycle = NetworkCycle(self, network)
        self.up, self.down = (
            Link(
                *(self, network, self.cycle, name),
                level=0,
                up=up,
                subtree=self.address,
                copies=range(levels_of(network).copies),
            )
            for name, up in (("o_", True), ("i_", False))
        )
        self.report = data.View(report_layout(network), self.port("report"))
        rules = [*self.up.received().values(), *self.down.sent().values()]
        for rule in (*self.cycle.rules(), *rules):
            self.environment(rule)
        self.use_facts: list[Value] = []
        if self.cycle.ends_early:
            self._keep_circuits()

    def _keep_circuits(self) -> None:
        """Have the controller release no circuit that is in use, from the cycle before on."""
        sent, was_active = self.register(1, "sent"), self.register(1, "was_active")
        self.m.d.sync += [
            sent.eq((sent | (self.up.kind == Kind.LAST.value)) & ~self.cycle.last),
            was_active.eq(self.report.active),
        ]
        self.use_facts = [
            ~sent | (self.up.came & self.up.was_back & ~self.inside("sending")),
            ~(self.inside("offering") & (self.cycle.time != 0)) | was_active,
            ~(self.inside("awaited") & (self.cycle.time > self.down.first_flit)) | was_active,
        ]
        waits = self.down.seen & (self.cycle.time <= self.down.first_flit)
        in_use = waits | (self.up.came & self.up.back & ~sent)
        self.environment(~self.cycle.last | ((self.cycle.time != 0) & ~was_active & ~in_use))

    @cached_property
    def stores(self) -> "Stores":
        """Packets that it stores on their way out."""
        return Stores(self)


class Stores:
    """Two stores for packets on their way out, by what the PE gave.

    Members
    -------
    taken, drop, completes : Value
        A beat comes; its packet is dropped; the packet is whole with this beat.
    fill, send : Signal
        Store that the next packet goes to, and store of the oldest packet.
    held : Signal
        How many whole packets there are.
    written : Signal
        How many beats of the next packet came.
    last : list of Signal
        By store, the place of the last beat of its packet.
    headers : list of View
        By store, the header of its packet.
    """

    def __init__(self, harness: InterfaceHarness) -> None:
        self._harness, longest = harness, harness.longest
        last = harness.port("s_axis_tlast")
        self.taken = harness.port("s_axis_tvalid") & harness.port("s_axis_tready")
        self.written = harness.register(range(longest), "written")
        self.dropping = harness.register(1, "dropping")
        self.first = (self.written == 0) & ~self.dropping
        self.too_long = (self.written == longest - 1) & ~last
        drop = self.dropping | (self.first & ~self._is_right()) | self.too_long
        self.drop = harness.named(drop, "drop")
        self.completes = harness.named(self.taken & last & ~self.drop, "whole")
        self.ends = harness.inside("ends")
        self.fill, self.send = harness.register(1, "fill"), harness.register(1, "send")
        self.held = harness.register(2, "held")
        self.last = [harness.register(range(longest), f"last_{n}") for n in range(2)]
        layout = harness.up.header.shape()
        self.headers = [harness.record(layout, f"header_{n}") for n in range(2)]
        self._count()

    def _is_right(self) -> Value:
        """Whether the beat names a PE, and uppers that exist."""
        harness = self._harness
        far = harness.port("s_axis_tdest")
        right = is_node(harness.network, far) & may_send(harness.network, harness.address, far)
        if harness.has_port("s_axis_tuser"):
            words = harness.network.routing.word_layout
            word = data.View(data.StructLayout(words), harness.port("s_axis_tuser"))
            for name, uppers in words.items():
                right &= (word[name] < uppers.stop) if uppers.stop > 1 else 1
        return right

    def _count(self) -> None:
        harness, m, last = self._harness, self._harness.m, self._harness.port("s_axis_tlast")
        with m.If(self.taken):
            m.d.sync += [
                self.dropping.eq(self.drop & ~last),
                self.written.eq(Mux(self.drop | last, 0, self.written + 1)),
            ]
        m.d.sync += [
            self.held.eq(self.held + self.completes - self.ends),
            self.fill.eq(self.fill ^ self.completes),
            self.send.eq(self.send ^ self.ends),
        ]
        fields = [harness.port("s_axis_tdest"), harness.address]
        if harness.has_port("s_axis_tuser"):
            fields.append(harness.port("s_axis_tuser"))
        for number in range(2):
            with m.If(self.taken & (self.fill == number)):
                m.d.sync += self.last[number].eq(self.written)
                with m.If(self.first):
                    m.d.sync += self.headers[number].eq(Cat(fields))

    def holds(self, number: int) -> Value:
        """Whether a store has a whole packet."""
        return (self.held == 2) | ((self.held == 1) & (self.send == number))
