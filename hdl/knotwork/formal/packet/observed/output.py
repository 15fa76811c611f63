"""Output of a packet router: the turns to it, what it shows, and its arbiters."""

from amaranth.hdl import Cat, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import eject_layout, flit_layout
from ....gateware.router_class import node_suffix
from ....network import Network, RouterKind
from ....routing import Turn
from ...harness import Harness
from .arbiters import Arbiter, ChannelArbiter, channel_arbiters
from .channel import InputChannel


class Output:
    """Output port: a link, or a node's.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port : int
        Output.
    channels : dict of (int, int) to InputChannel
        The router's input channels.

    Members
    -------
    name : str
        ``local``, or the link's.
    vcs : list of int
        Virtual channels that are used.
    is_local : bool
        It leads to a node.
    is_plain : bool
        It is a stream that waits for room; any other shows a flit only as the flit crosses.
    valid, ready : Value
        Handshake, a bit per virtual channel.
    flit : View
        Flit that it shows, in `eject_layout` where it goes to the node.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        port: int,
        channels: dict[tuple[int, int], InputChannel],
    ) -> None:
        self._harness = harness
        self._kind = kind
        self._make_arbiter = channel_arbiters(network)
        self.port = port
        self.name = network.topology.ports[port]
        self.vcs = kind.output_vcs(port)
        self.is_local = port in kind.node_ports
        self.is_plain = kind.is_plain_output(port)
        self._channels = channels
        self._observe(network)

    def _observe(self, network: Network) -> None:
        """Observe the link's ports, the skid buffer's, or the node's stream."""
        harness, layout = self._harness, eject_layout(network)
        if not self.is_local:
            self.flit = data.View(flit_layout(network), harness.port(f"{self.name}_o_flit"))
            self.valid: Value = harness.port(f"{self.name}_o_valid")
            self.ready: Value = harness.port(f"{self.name}_o_ready")
        elif not self.is_plain:
            skid = f"node_interface{node_suffix(network, self.port)}.skid"
            self.flit = data.View(layout, harness.inside(f"{skid}.i_payload", layout.size))
            self.valid = harness.inside(f"{skid}.i_valid")
            self.ready = harness.inside(f"{skid}.i_ready")
        else:
            prefix = f"m_axis{node_suffix(network, self.port)}"
            beat = [harness.port(f"{prefix}_{name}") for name in ("tdata", "tlast", "tid")]
            self.flit = data.View(layout, Cat(beat))
            self.valid, self.ready = (
                harness.port(f"{prefix}_{name}") for name in ("tvalid", "tready")
            )

    def crosses(self, vc: int) -> Value:
        """Whether a flit leaves by this virtual channel."""
        return self.valid[vc] & self.ready[vc]

    def shows(self, flit: data.View) -> Value:
        """Whether the output shows this flit."""
        if not self.is_local:
            return self.flit.as_value() == flit.as_value()
        names = ("data", "last", "source")
        return Cat(self.flit[name] == flit[name] for name in names).all()

    def turns(self, vc: int) -> list[tuple[InputChannel, Turn]]:
        """Turns to a virtual channel, each with its input channel, in the arbiter's order."""
        turns = [t for t in self._kind.turns if (t.output_port, t.output_vc) == (self.port, vc)]
        return [(self._channels[t.input_port, t.input_vc], t) for t in turns]

    def sources(self, vc: int) -> Signal:
        """Turns by which flits leave through it, a bit per turn."""
        goes = Cat(channel.goes(turn) for channel, turn in self.turns(vc))
        return self._harness.named(goes, f"sources_{self.name}_vc{vc}")

    def grants(self, turn: Turn) -> Value:
        """Whether the arbiter of a turn's virtual channel grants it to this turn."""
        place = [one for _, one in self.turns(turn.output_vc)].index(turn)
        return self.arbiter(turn.output_vc).grant[place]

    def arbiter(self, vc: int) -> ChannelArbiter:
        """Arbiter of a virtual channel."""
        path = f"output_{self.name}.arbiter_vc{vc}"
        requesters = len(self.turns(vc))
        return self._make_arbiter(self._harness, path, requesters, is_plain=self.is_plain)

    def switch(self) -> Arbiter | None:
        """Arbiter of the virtual channels, where there are several."""
        if len(self.vcs) == 1:
            return None
        return Arbiter(self._harness, f"output_{self.name}.switch", len(self.vcs))
