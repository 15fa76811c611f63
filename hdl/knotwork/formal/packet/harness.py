"""Packet router under proof, and its environment."""

from amaranth.hdl import Value

from ...network import Network, RouterKind
from ...parameters import PacketParameters
from ...routing import Turn
from .branching.channel import BranchingChannel
from .branching.ports import longest_broadcast
from .observed.arbiters import Arbiter
from .observed.output import Output
from .observed.plain_channel import PlainChannel
from .router_harness import Place, RouterHarness


class PacketHarness(RouterHarness):
    """Harness of any packet router of a kind whose links wait for `ready`.

    `routing.walks.headers` found by walking all pairs what is true of the addresses in a header. No
    broadcast that comes by a link is longer than allowed: `injection` and `order` show that none
    leaves a router.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    plain, branching : dict of (int, int) to PlainChannel or BranchingChannel
        Those where no packet branches, and those where packets do.
    outputs : list of Output
        Outputs.
    any_length : Value
        Length of the longest packet, in flits.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        # Yices dies of models with such a memory of another depth than a power of two.
        depth = PacketParameters.of(network.hardware).buffer_depth
        self.keeps_memories = not network.has_broadcast or depth & (depth - 1) == 0
        self.plain: dict[Place, PlainChannel] = {}
        self.branching: dict[Place, BranchingChannel] = {}
        for port in kind.ports:
            for vc in kind.input_vcs(port):
                self._observe(port, vc)
        self.outputs = [
            Output(self, network, kind, port, self.channels)
            for port in kind.ports
            if kind.output_vcs(port)
        ]
        self.any_length = self.any_constant(4)
        self._assume_neighbours()

    def output(self, port: int) -> Output:
        """Output of a port."""
        return next(output for output in self.outputs if output.port == port)

    def _observe(self, port: int, vc: int) -> None:
        """Observe an input channel, by whether packets branch there."""
        place, network, kind = (port, vc), self.network, self.kind
        if kind.branches(port, vc):
            branching = BranchingChannel(self, network, kind, port, vc, takes=self._takes)
            self.channels[place] = self.branching[place] = branching
        else:
            plain = PlainChannel(self, network, kind, port, vc)
            self.channels[place] = self.plain[place] = plain

    def _takes(self, turn: Turn) -> Value:
        """Whether a turn's output takes a flit by it in this cycle."""
        output = self.output(turn.output_port)
        return output.crosses(turn.output_vc) & output.grants(turn)

    def can_be_long(self, *turns: Turn) -> bool:
        """Whether packets of several flits take one of these turns."""
        network = self.network
        alone = set(self.kind.unicast_turns).intersection(turns)
        return bool(alone) or not network.has_broadcast or longest_broadcast(network) > 1

    def accept(self, port: int) -> Arbiter | None:
        """Arbiter of an input's virtual channels, where it has several."""
        vcs = self.kind.input_vcs(port)
        name = self.network.topology.ports[port]
        return None if len(vcs) < 2 else Arbiter(self, f"accept_{name}.switch", len(vcs))
