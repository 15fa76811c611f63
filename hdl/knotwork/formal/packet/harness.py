"""Packet router under proof, and its environment."""

from typing import Any

from amaranth.hdl import Const

from ...emit.modules import router_ports
from ...gateware.layouts import has_broadcast
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ...routing import Turn
from ...topology import LOCAL
from ..harness import Bench
from .branching.channel import AnyChannel, BranchingInput, longest_of
from .observed.arbiters import Arbiter
from .observed.channel import Channel
from .observed.output import Output
from .observed.rule_turns import legal_copies, legal_turns


class PacketBench(Bench):
    """Bench of a packet router: of any of its kind, for its address is any constant.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    channels : dict of (int, int) to AnyChannel
        Input channels by port and virtual channel.
    outputs : list of Output
        Outputs.
    any_length : Value
        Length of the longest packet, in flits.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(kind.name, *router_ports(network, kind))
        self.network, self.kind = network, kind
        # Yices dies of models with such a memory of another depth than a power of two.
        depth: int = network.hardware.buffer_depth
        self.keeps_memories = not has_broadcast(network) or depth & (depth - 1) == 0
        self.channels: dict[tuple[int, int], AnyChannel] = {
            (port, vc): (BranchingInput if kind.branches(port, vc) else Channel)(
                self, network, kind, port, vc
            )
            for port in kind.ports
            for vc in kind.input_vcs(port)
        }
        self.outputs = [
            Output(self, network, kind, port, self.channels)
            for port in kind.ports
            if kind.output_vcs(port)
        ]
        copies = [one for ones in legal_copies(network, kind).values() for one in ones]
        self._taken = {turn for turn, codes in legal_turns(network, kind).items() if codes}
        self._taken |= {turn for one in copies for turn in one.sent}
        self.any_length = self.any_constant(4)
        self._environment()

    def output(self, port: int) -> Output:
        """Output of a port."""
        return next(output for output in self.outputs if output.port == port)

    def plain(self, place: tuple[int, int]) -> Channel:
        """Input channel where no packet branches."""
        channel = self.channels[place]
        assert isinstance(channel, Channel)
        return channel

    def branching(self, place: tuple[int, int]) -> BranchingInput:
        """Input channel where packets branch."""
        channel = self.channels[place]
        assert isinstance(channel, BranchingInput)
        return channel

    def link(self, port: int, member: str) -> Any:
        """Signal of a link, ``i_valid``."""
        return self.port(f"{self.network.topology.ports[port]}_{member}")

    def can_happen(self, *turns: Turn) -> bool:
        """Whether flits take these turns at some router: a flow has one lane, which its node gives.

        On a link flits of any lane are taken to come.
        """
        return all(turn.input_port != LOCAL or turn in self._taken for turn in turns)

    def can_be_long(self, *turns: Turn) -> bool:
        """Whether packets of several flits take one of these turns."""
        network = self.network
        alone = set(self.kind.unicast_turns).intersection(turns)
        return bool(alone) or not has_broadcast(network) or longest_of(network) > 1

    def accept(self, port: int) -> Arbiter | None:
        """Arbiter of an input's virtual channels, where there are several."""
        vcs = self.kind.input_vcs(port)
        name = self.network.topology.ports[port]
        return None if len(vcs) < 2 else Arbiter(self, f"core.accept_{name}.switch", len(vcs))

    def _environment(self) -> None:
        """Neighbours show one flit at a time, and only in virtual channels that routes use.

        A flit has one turn here, a broadcast's one or more (`route` and `branches` show that those
        of the routing have), and with one header all flits of a packet have the same. Of its
        addresses that is true which `routing.walks.headers` found by walking all pairs. No broadcast
        that comes by a link is longer than allowed (`injection` and `order` show that none leaves).
        That what the node gives goes on with its packet is not assumed but shown by `injection`.
        """
        self.constant("address")
        for port in self.kind.ports[1:]:
            valid, vcs = self.link(port, "i_valid"), self.kind.input_vcs(port)
            for vc in range(len(valid)):
                self.environment(Const(1) if vc in vcs else ~valid[vc])
            self.environment(is_one_hot_or_zero(valid))
        for (port, _), channel in self.channels.items():
            self.environment(~channel.offered | channel.is_legal())
            if port != LOCAL:
                self.environment(channel.continues())
