"""The whole network as one component."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ..network import Network
from .collectives.tree import group_signature
from .layouts import eject_layout, inject_layout
from .planned import PlannedPort
from .router_classes import outside_ports
from .wiring_plan import wiring_plan


def network_signature(network: Network) -> wiring.Signature:
    """Ports of a network.

    Members
    -------
    inject : In(stream of inject_layout).array(nodes)
        Stream of beats from each node; a packet's `destination` is read on its first beat.
    eject : Out(stream of eject_layout).array(nodes)
        Stream of beats to each node, packet after packet; `source` is valid on every beat.
    refused : Out(nodes)
        One bit per node, high for one cycle for each packet that the node could not send.
    config : In(config_signature)
        Jump table of networks of batches, or tables of those that load any; only there.
    status : Out
        Outcome of the last batch, or of the last load; only there.
    monitor : In(axi_lite_signature)
        Bus that reads the monitor, see `monitors.Monitor`; only with counters or a watchdog.
    alarm : Out(1)
        The watchdog has found a channel; only there.
    collective, collective0, collective1, ... : Out(group_signature)
        Streams of the members of a group that has collectives, and what its tree says of them; by
        the names in `Network.collective_groups`.
    """
    nodes = network.topology.nodes
    members = {
        "inject": In(stream.Signature(inject_layout(network))).array(nodes),
        "eject": Out(stream.Signature(eject_layout(network))).array(nodes),
        "refused": Out(nodes),
    }
    return wiring.Signature(members | collective_members(network) | outside_ports(network))


def collective_members(network: Network) -> dict[str, Member]:
    """Ports of groups that have collectives, by the group's name."""
    return {
        group.name: Out(
            group_signature(
                group.form, members=len(group.tree.members), has_watchdog=group.watchdog > 0
            )
        )
        for group in network.collective_groups
    }


class Fabric(wiring.Component):
    """Network to put into a design: routers as submodules, links between them.

    For networks of a few dozen routers; `emit.EmittedNetwork` has the same ports and serves
    thousands.

    Latency
    -------
    ``cycles_per_hop * hops + cycles_to_node`` cycles from the handshake of a one-flit packet on
    ``inject[i]`` to its first cycle on ``eject[j]``, in an idle network.

    Parameters
    ----------
    network : Network
        Topology, routing and hardware parameters.

    Members
    -------
    inject, eject, refused, config, status, collective
        See `network_signature`.

    Raises
    ------
    DeadlockError
        The network failed its deadlock check.
    """

    inject: list
    eject: list
    refused: Signal
    config: stream.Interface
    status: Signal

    def __init__(self, network: Network) -> None:
        network.require_deadlock_free()
        self._network = network
        super().__init__(network_signature(network))

    @property
    def network(self) -> Network:
        """Network that this is."""
        return self._network

    def elaborate(self, platform: object) -> Module:
        m = Module()
        plan = wiring_plan(self._network)
        nets = _Nets()
        for port in plan.ports:
            outside = port.member(self)
            end = wiring.flipped(outside) if port.bundle else outside
            nets.join(port.key, port, end, receives=not port.receives)
        for instance in plan.instances:
            component = instance.module.make()
            m.submodules[instance.name] = component
            for port in instance.module.ports:
                connection, end = instance.connections[port.key], port.member(component)
                if isinstance(connection, Const):
                    m.d.comb += end.eq(connection)
                else:
                    nets.join(connection, port, end, receives=port.receives)
        nets.connect(m)
        return m


class _Nets:
    """Ends of a plan's nets: interfaces of bundles, values of signals."""

    def __init__(self) -> None:
        self._interfaces: dict[str, list[Any]] = {}
        self._drivers: dict[str, Value] = {}
        self._readers: list[tuple[Value, Sequence[str]]] = []

    def join(
        self, connection: str | Sequence[str], port: PlannedPort, end: Any, *, receives: bool
    ) -> None:
        """Join an end to a net; one that receives may be joined to several, side by side."""
        names = [connection] if isinstance(connection, str) else connection
        if port.bundle:
            self._interfaces.setdefault(names[0], []).append(end)
        elif receives:
            self._readers.append((Value.cast(end), names))
        else:
            self._drivers[names[0]] = Value.cast(end)

    def connect(self, m: Module) -> None:
        """Connect the ends of each net."""
        for ends in self._interfaces.values():
            wiring.connect(m, *ends)
        for end, names in self._readers:
            m.d.comb += end.eq(Cat(self._drivers[name] for name in names))
