"""Claims about what is along a link of several cycles: nothing is lost, and credits add up."""

from collections.abc import Sequence
from functools import partial

from amaranth.hdl import Value

from ...emit.modules import module_writer, planned_ports
from ...gateware.packet.link_registers import LinkRegisters
from ...gateware.wiring_plan import link_latencies, link_module
from ...network import Network
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Part, Property


class LinkHarness(Harness):
    """Harness of what is along a channel, between a sender and a receiver that count credits.

    As `credits` shows of routers, the sender sends no flit without a credit; as `queues` does, the
    receiver returns a credit only for a flit that it holds.

    Parameters
    ----------
    network : Network
        Network.
    name : str
        Name of the module.
    latency : int
        Cycles of the link.

    Members
    -------
    stages : int
        Cycles from one end of the module to the other.
    depth : int
        Flits per virtual channel that the buffer behind the link holds.
    spent, held : list of Value
        By virtual channel: flits that the sender sent in earlier cycles beyond the credits that it
        got; flits that came to the receiver beyond the credits that it gave.
    """

    def __init__(self, network: Network, name: str, latency: int) -> None:
        module = link_module(network, latency)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self._registers = self.component("", LinkRegisters).stages
        self.stages, self.vcs = latency - 1, range(network.virtual_channels)
        self.depth = int(network.buffer_depth_over(latency))
        self.spent = [self._count("spent", "i", vc) for vc in self.vcs]
        self.held = [self._count("held", "o", vc) for vc in self.vcs]
        for vc in self.vcs:
            self.assume(self.spent[vc] + self.port("i_valid")[vc] <= self.depth)
            self.assume(~self.port("o_credit")[vc] | (self.held[vc] != 0))

    def _count(self, name: str, end: str, vc: int) -> Value:
        """Flits that passed an end of the module beyond the credits that passed it."""
        count = self.register(range(2 * self.depth + 2), f"{name}_vc{vc}")
        flit, credit = self.port(f"{end}_valid")[vc], self.port(f"{end}_credit")[vc]
        self.m.d.sync += count.eq(count + flit - credit)
        return count

    def register_along(self, name: str, stage: int) -> Value:
        """Register of a signal of the link."""
        return self.probe(self._registers[name][stage])


_ENDS = {"valid": ("i", "o"), "flit": ("i", "o"), "credit": ("o", "i")}
"""Ends of the module where each signal of a link begins and ends."""


def _claim_delay(harness: LinkHarness) -> None:
    """Claim that each signal ends as it began, `stages` cycles later; and is 0 before."""
    for name, (start, end) in _ENDS.items():
        value: Value = harness.port(f"{start}_{name}")
        for stage in range(harness.stages):
            before = harness.register(len(value), f"before_{name}_{stage}")
            harness.m.d.sync += before.eq(value)
            harness.claim(harness.register_along(name, stage) == before)
            value = before
        harness.claim(harness.port(f"{end}_{name}") == value)
        harness.cover(harness.port(f"{end}_{name}").any())


def _claim_space(harness: LinkHarness) -> None:
    """Claim that no flit comes without a place, and no credit without a flit."""
    for vc in harness.vcs:
        spent, held = harness.spent[vc], harness.held[vc]
        under_way: Value = Value.cast(0)
        for stage in range(harness.stages):
            for name in ("valid", "credit"):
                under_way = under_way + harness.register_along(name, stage)[vc]
        harness.claim(spent == held + under_way)
        arrives = harness.port("o_valid")[vc]
        harness.claim(~arrives | harness.port("o_credit")[vc] | (held < harness.depth))
        returns = harness.port("i_credit")[vc]
        harness.claim(~returns | harness.port("i_valid")[vc] | (spent != 0))
        harness.cover(arrives & returns)


def _properties(latency: int) -> Sequence[Property]:
    longest = 2 * latency + 4
    delay = Property(
        name="delay",
        text=f"flits and credits pass in {latency - 1} more cycles, each once and in order",
        claim=_claim_delay,
        cover=longest,
    )
    places = Property(
        name="places",
        text="free places that the sender knows, flits and credits on the link, and flits behind "
        "it are always as many as the buffer holds: no flit comes without a place",
        claim=_claim_space,
        cover=longest,
    )
    return [delay, places]


def link_parts(network: Network) -> Sequence[Part]:
    """What is along the links of a network, for each latency above 1."""
    return [
        Part(
            network.module_name(f"link{latency}"),
            module_writer(partial(link_module, latency=latency)),
            partial(LinkHarness, latency=latency),
            lambda network, latency=latency: _properties(latency),
        )
        for latency in link_latencies(network)
    ]
