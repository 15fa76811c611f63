"""Packet router under proof, and its environment."""

from typing import Any

from amaranth.hdl import Const

from ...emit.router import router_ports
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ...routing import Turn
from ...topology import LOCAL
from ..bench import Bench
from .arbiters import Arbiter
from .channel import Channel
from .legal import legal_turns
from .output import Output


class PacketBench(Bench):
    """Bench of a packet router: of any of its kind, for its address is any constant.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    channels : dict of (int, int) to Channel
        Input channels by port and virtual channel.
    outputs : list of Output
        Outputs.
    any_length : Value
        Length of the longest packet, in flits.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(kind.name, *router_ports(network, kind))
        self.network, self.kind = network, kind
        self.channels = {
            (port, vc): Channel(self, network, kind, port, vc)
            for port in kind.ports
            for vc in kind.input_vcs(port)
        }
        self.outputs = [
            Output(self, network, kind, port, self.channels)
            for port in kind.ports
            if kind.output_vcs(port)
        ]
        self._legal = legal_turns(network, kind)
        self.any_length = self.any_constant(4)
        self._environment()

    def link(self, port: int, member: str) -> Any:
        """Signal of a link, ``i_valid``."""
        return self.port(f"{self.network.topology.ports[port]}_{member}")

    def can_happen(self, *turns: Turn) -> bool:
        """Whether flits take these turns at some router: a flow has one lane, which its node gives.

        On a link flits of any lane are taken to come.
        """
        return all(turn.input_port != LOCAL or self._legal[turn] for turn in turns)

    def accept(self, port: int) -> Arbiter | None:
        """Arbiter of an input's virtual channels, where there are several."""
        vcs = self.kind.input_vcs(port)
        name = self.network.topology.ports[port]
        return None if len(vcs) < 2 else Arbiter(self, f"core.accept_{name}.switch", len(vcs))

    def _environment(self) -> None:
        """Neighbours show one flit at a time, and only in virtual channels that routes use.

        A flit has one turn here (`route` shows that those of the routing have), and with one
        destination all flits of a packet have the same. Of its addresses that is true which
        `routing.headers` found by walking all pairs.
        """
        self.constant("address")
        for port in self.kind.ports[1:]:
            valid, vcs = self.link(port, "i_valid"), self.kind.input_vcs(port)
            for vc in range(len(valid)):
                self.environment(Const(1) if vc in vcs else ~valid[vc])
            self.environment(is_one_hot_or_zero(valid))
        for channel in self.channels.values():
            turn = channel.entry.turn
            self.environment(~channel.offered | (turn.any() & is_one_hot_or_zero(turn)))
            self.environment(~channel.offered | channel.is_as_known(channel.entry))
            packet = channel.incoming
            alike = (packet.turn == turn) & (packet.destination == channel.entry.flit.destination)
            self.environment(~channel.offered | ~packet.open | alike)
