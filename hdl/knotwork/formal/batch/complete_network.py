"""A small network of batches as a whole: after every step each packet is at one node."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import planned_shell
from ...emit.ports import (
    eject_prefix,
    inject_prefix,
    network_ports,
)
from ...gateware.batch.controller import BatchController
from ...gateware.batch.router import BatchRouter
from ...gateware.wiring_plan import controller_module, router_module
from ...network import Network
from ..harness import Harness
from ..property import Property
from .contract import Batches, expected_steps
from .controller import counting, sequencing


class NetworkHarness(Harness):
    """Harness of a whole network of batches; nothing is assumed of its nodes and its jump table.

    Parameters
    ----------
    network : Network
        Network with batches.
    name : str
        Name of its top module.
    """

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *network_ports(network))
        self.network = network
        self.gateware.add_instance(planned_shell(network, controller_module(network)), "controller")
        self.controller = self.component("controller", BatchController)
        self.routers = [self._router(node) for node in range(network.topology.nodes)]
        self.batches = Batches(self, network, self.probe(self.controller.control))

    def _router(self, node: int) -> BatchRouter:
        network = self.network
        kind = network.router_kinds[network.router_number[node]]
        path = f"router_{network.topology.router_identifier(node)}"
        self.gateware.add_instance(planned_shell(network, router_module(network, kind)), path)
        return self.component(path, BatchRouter)


class _Packet:
    """Packet of any one node, from the beat that brings it to the beat that delivers it.

    Members
    -------
    source : Value
        The node's address.
    now, before : View
        Header and data of the node's packet in the batch that is filled or runs, and in the last.
    undelivered : Signal
        The packet of the last batch has not been delivered yet.
    delivers : list of Value
        By node, whether it delivers the packet.
    """

    def __init__(self, harness: NetworkHarness) -> None:
        network, m = harness.network, harness.m
        width = network.topology.address_width
        source = harness.named(harness.any_constant(width), "source")
        self.source = source
        layout = data.StructLayout({"destination": width, "data": network.hardware.data_width})
        self.now = harness.record(layout, "now")
        self.before = harness.record(layout, "before")
        self.undelivered = harness.register(1, "owed")
        done = harness.batches.control.done
        self.delivers: list[Value] = []
        for node in range(network.topology.nodes):
            into, out = inject_prefix(network, node), eject_prefix(network, node)
            mine = source == network.topology.address(node)
            taken = harness.port(f"{into}_tvalid") & harness.port(f"{into}_tready")
            with m.If(taken & mine):
                m.d.sync += [
                    self.now.destination.eq(harness.port(f"{into}_tdest")),
                    self.now.data.eq(harness.port(f"{into}_tdata")),
                ]
            shown = harness.port(f"{out}_tvalid") & (harness.port(f"{out}_tid") == source)
            self.delivers.append(harness.named(shown, "gives"))
            with m.If(self.delivers[-1] & harness.port(f"{out}_tready")):
                m.d.sync += self.undelivered.eq(0)
        with m.If(done):
            m.d.sync += [self.undelivered.eq(1), self.before.eq(self.now)]


def _is_exactly_one(values: Sequence[Value]) -> Value:
    return sum(values, Const(0)) == 1


def _claim_one_packet(harness: NetworkHarness) -> None:
    """Claim that exactly one router has the packet of a node, whole, in every cycle of a batch."""
    network, control = harness.network, harness.batches.control
    width, topology = network.topology.address_width, network.topology
    packet = _Packet(harness)
    for rule in (*harness.batches.rules(), *harness.batches.register_facts()):
        harness.claim(rule)
    sequencing(harness, harness.batches, harness.controller)
    if harness.batches.is_distributed:
        for router in harness.routers:
            harness.claim(harness.probe(router.steps.going) == harness.batches.in_batch)
            counting(harness, harness.batches, router.steps.sequencer)
    has, undelivered = [], []
    for node, router in enumerate(harness.routers):
        address = topology.address(node)
        full, delivering = harness.probe(router.full), harness.probe(router.giving)
        header = harness.probe(router.header)
        destination, source = header[:width], header[width:]
        mine = harness.named(source == packet.source, "mine")
        has.append(full & mine)
        undelivered.append(delivering & mine)
        harness.claim(~(full & delivering) & (full | ~control.running))
        harness.claim(~full | control.running | (source == address))
        harness.claim(packet.delivers[node] == (delivering & mine))
        found = Cat(destination, harness.probe(router.stored_data))
        harness.claim(~(full & mine) | (found == packet.now.as_value()))
        harness.claim(~(delivering & mine) | (found == packet.before.as_value()))
        out = eject_prefix(network, node)
        delivers = packet.delivers[node]
        harness.claim(~delivers | (harness.port(f"{out}_tdata") == packet.before.data))
        wrong = harness.port(f"{out}_tuser")[0]
        harness.claim(~delivers | (wrong == (packet.before.destination != address)))
        _claim_dropping(harness, node)
        harness.cover(delivers & (packet.source != address))
    harness.claim(~control.running | _is_exactly_one(has))
    harness.claim(Mux(packet.undelivered, _is_exactly_one(undelivered), ~Cat(undelivered).any()))
    harness.claim(~(packet.undelivered & control.running))


def _claim_dropping(harness: NetworkHarness, node: int) -> None:
    """Claim that a packet that is dropped was not taken before."""
    router = harness.routers[node]
    dropping, wrong = harness.probe(router.dropping), harness.probe(router.wrong)
    full, delivering = harness.probe(router.full), harness.probe(router.giving)
    harness.claim(~dropping | ~(full | delivering))
    harness.claim(~wrong | ~full)
    destination = harness.probe(router.header)[: harness.network.topology.address_width]
    right = destination == harness.network.topology.address(node)
    harness.claim(~(wrong & delivering) | ~right)


def network_properties(network: Network) -> Sequence[Property]:
    """Properties of a whole network."""
    return [
        Property(
            name="one_packet",
            text="in every cycle of a batch, so after every step, exactly one node has the packet "
            "of each; after the last it is given once, unchanged, and marked if it is at the wrong "
            "node",
            claim=_claim_one_packet,
            cover=expected_steps(network) + network.topology.address_width + 8,
        )
    ]
