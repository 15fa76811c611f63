"""What the harnesses of all packet routers share."""

from amaranth.hdl import Signal

from ...emit.modules import router_ports
from ...errors import ConfigurationError
from ...gateware.packet.inputs import own_tables
from ...network import Network, RouterKind
from ...routing import Turn
from ...topology import LOCAL
from ..harness import Harness
from .observed.channel import InputChannel
from .rule_turns import legal_copies, legal_turns

Place = tuple[int, int]
"""Input port and virtual channel."""


class RouterHarness(Harness):
    """Harness of any packet router of a kind: its address is any constant.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    channels : dict of (int, int) to InputChannel
        Input channels by port and virtual channel.
    injector : str
        Place of the node's injector in the router.
    """

    injector = "node_interface.injector"

    def __init__(self, network: Network, kind: RouterKind) -> None:
        if own_tables(network, kind):
            raise ConfigurationError(
                f"{network.name}: verify must have routers that decide alike, or gates of the "
                f"routing's own, not a table for each router"
            )
        super().__init__(kind.name, *router_ports(network, kind))
        self.network, self.kind = network, kind
        self.channels: dict[Place, InputChannel] = {}
        copies = [one for ones in legal_copies(network, kind).values() for one in ones]
        self._taken = {turn for turn, codes in legal_turns(network, kind).items() if codes}
        self._taken |= {turn for one in copies for turn in one.sent}
        self.constant("address")

    def link(self, port: int, member: str) -> Signal:
        """Signal of a link, ``i_valid``."""
        return self.port(f"{self.network.topology.ports[port]}_{member}")

    def can_happen(self, *turns: Turn) -> bool:
        """Whether flits take all of these turns at some router.

        The node sends a flow in one lane only; on a link flits of any lane are taken to come.
        """
        return all(turn.input_port != LOCAL or turn in self._taken for turn in turns)
