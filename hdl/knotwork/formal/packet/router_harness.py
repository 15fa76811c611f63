"""What the harnesses of all packet routers share."""

from functools import lru_cache

from amaranth.hdl import Cat, Const, Signal, Value

from ...emit.modules import planned_ports
from ...gateware.packet.inputs import constants, router_tables
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.router_class import node_suffix
from ...gateware.router_classes import gateware_of
from ...gateware.wiring_plan import router_module
from ...network import Network, RouterKind
from ...routing import Turn
from ..elaboration import Elaboration
from ..harness import Harness
from .channels import InputChannel
from .rule_turns import legal_copies, legal_turns, pattern, routers_of

InputVc = tuple[int, int]
"""Input port and virtual channel."""
LENGTH_BITS = 4
"""Bits of the longest packet's length, which is any number."""


@lru_cache(maxsize=8)
def router_gateware(network: Network, kind: RouterKind) -> Elaboration:
    """Gateware of a router; proofs of its properties share one."""
    return Elaboration(gateware_of(network).router(network, kind))


class RouterHarness(Harness):
    """Harness of any packet router of a kind: its address is any constant.

    The kind may be of one class of traffic; then the other classes do anything.

    Where its routers have tables of their own, address and tables are those of any of them.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    channels : dict of (int, int) to InputChannel
        Input channels by port and virtual channel.
    module : RouterKind
        Kind of the module, of all classes of traffic.
    code : Value
        What the router knows as itself, see `rule_turns.router_codes`.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self.module = module = network.router_kinds[network.router_number[kind.router]]
        ports = planned_ports(network, router_module(network, module))
        super().__init__(kind.name, *ports, router_gateware(network, module))
        self.network, self.kind = network, kind
        self.channels: dict[InputVc, InputChannel] = {}
        copies = [one for ones in legal_copies(network, kind).values() for one in ones]
        self._taken = {turn for turn, codes in legal_turns(network, kind).items() if codes}
        self._taken |= {turn for one in copies for turn in one.sent}
        self.unclaimed_assertions = self._other_classes()
        self.code: Value = self.constant("address")
        has_tables = router_tables(network, module) or network.routing.written is not None
        if has_tables or not network.topology.is_one_to_one:
            self._take_constants()

    def _other_classes(self) -> tuple[str, ...]:
        """Assertions of the parts of other classes of traffic, and of what several share.

        `sharing` and `crossing` claim the latter too. Regulators are proven by themselves, see
        `formal.adapters.regulator`.
        """
        network, own = self.network, self.kind.traffic_class
        if own is None:
            return ()
        others = [number for number in range(network.traffic_classes) if number != own]
        nodes = [
            self.at_node("node_interface", port)
            for port in range(network.topology.local_ports)
            if network.topology.port_class(port) != own
        ]
        credits = set(range(network.virtual_channels)).difference(self.own_vcs)
        names = [*(f"*_class{one}.*" for one in others), *(f"*{node}.*" for node in nodes)]
        names += [f"*credits_*_vc{vc}.*" for vc in sorted(credits)]
        return ("$assert*", "*regulator.*", *names)

    def _take_constants(self) -> None:
        """Give the router the addresses and the tables of one of those that are this module."""
        routers = routers_of(self.network, self.kind)
        cases = [constants(self.network, router) for router in routers]
        pins = {name: self.constant(name) for name in cases[0]}
        known = {tuple(const.value for const in case.values()) for case in cases}
        widths = [len(pin) for pin in pins.values()]
        codes = [pattern(zip(values[::-1], widths[::-1], strict=True)) for values in sorted(known)]
        every = Cat(*pins.values())
        self.environment(self.named(every.matches(*codes), "router_tables"))
        if not self.network.topology.is_one_to_one:
            self.code = every

    def _assume_neighbours(self) -> None:
        """Assume neighbours that show one flit at a time, only in virtual channels of routes.

        They send whole packets. A flit has one turn here, a broadcast's flit one or more: `route`
        and `branches` show it of all flits that the routing brings. All flits of a packet have one
        header, and so the same turns: `wormhole` shows it of those that leave. That flits from the
        node continue their packet is not assumed: `injection` shows it.
        """
        for port in self.kind.receiving:
            valid, vcs = self.link(port, "i_valid"), self.kind.input_vcs(port)
            for vc in self.own_vcs:
                self.environment(Const(1) if vc in vcs else ~valid[vc])
            self.environment(is_one_hot_or_zero(valid))
        for channel in self.channels.values():
            self.environment(~channel.offered | channel.is_legal())
            if not channel.is_local:
                self.environment(channel.continues())

    @property
    def own_vcs(self) -> range:
        """Virtual channels of links: all, or those of the kind's class of traffic."""
        network, number = self.network, self.kind.traffic_class
        if number is None:
            return range(network.virtual_channels)
        share = network.virtual_channels // network.traffic_classes
        return range(number * share, (number + 1) * share)

    def link(self, port: int, member: str) -> Signal:
        """Signal of a link, ``i_valid``."""
        return self.port(f"{self.network.topology.ports[port]}_{member}")

    def at_node(self, name: str, port: int) -> str:
        """Name of what serves the node at a port: ``s_axis``, ``node_interface``."""
        return f"{name}{node_suffix(self.network, port)}"

    def beat(self, port: int) -> Value:
        """Beat to the node at a port; with flags if it has any."""
        prefix = self.at_node("m_axis", port)
        names = ("tdata", "tlast", "tid", *(["tuser"] if self.network.flag_width else []))
        return Cat(self.port(f"{prefix}_{name}") for name in names)

    def can_happen(self, *turns: Turn) -> bool:
        """Whether flits take all of these turns at some router.

        A node sends a flow in one lane only; on a link flits of any lane are taken to come.
        """
        # What a multicast unit sends by a higher class takes many cycles to show.
        if self.network.has_multicast and any(
            turn.input_vc and turn.input_port in self.kind.node_ports for turn in turns
        ):
            return False
        return all(
            turn.input_port not in self.kind.node_ports or turn in self._taken for turn in turns
        )
