"""Output of a packet router: who can leave by it, and its arbiters."""

from typing import Any

from amaranth.hdl import Cat, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import eject_layout, flit_layout
from ....network import Network, RouterKind
from ....topology import LOCAL
from ...harness import Bench
from ..branching.channel import AnyChannel
from .arbiters import Arbiter, ChannelArbiter, channel_arbiters


class Output:
    """Output port: a link, or the way to the node.

    Parameters
    ----------
    bench : Bench
        Bench of the router.
    network, kind : Network, RouterKind
        Router.
    port : int
        Output.
    channels : dict of (int, int) to AnyChannel
        The router's input channels.

    Members
    -------
    name : str
        ``local``, or the link's.
    vcs : list of int
        Virtual channels that are used.
    is_plain : bool
        It is a stream that waits for room; else a flit is shown only as it crosses.
    valid, ready : Signal
        Handshake by virtual channels.
    flit : View
        What is shown, `eject_layout` where it goes to the node.
    """

    def __init__(
        self,
        bench: Bench,
        network: Network,
        kind: RouterKind,
        port: int,
        channels: dict[tuple[int, int], AnyChannel],
    ) -> None:
        self._bench = bench
        self._kind = kind
        self._make_arbiter = channel_arbiters(network)
        self.port = port
        self.name = network.topology.ports[port]
        self.vcs = kind.output_vcs(port)
        self.is_plain = kind.is_plain_output(port)
        self._channels = channels
        self.valid, self.ready, self.flit = self._shown(network)

    def _shown(self, network: Network) -> tuple[Value, Value, Any]:
        bench = self._bench
        if self.port != LOCAL:
            flit = data.View(flit_layout(network), bench.port(f"{self.name}_o_flit"))
            return bench.port(f"{self.name}_o_valid"), bench.port(f"{self.name}_o_ready"), flit
        layout = eject_layout(network)
        if not self.is_plain:
            skid = "core.interface.skid"
            flit = data.View(layout, bench.inside(f"{skid}.i__payload", layout.size))
            return bench.inside(f"{skid}.i__valid"), bench.inside(f"{skid}.i__ready"), flit
        beat = [bench.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid")]
        return (
            bench.port("m_axis_tvalid"),
            bench.port("m_axis_tready"),
            data.View(layout, Cat(beat)),
        )

    def crosses(self, vc: int) -> Value:
        """Whether a flit goes out by this virtual channel."""
        return self.valid[vc] & self.ready[vc]

    def shows(self, flit: Any) -> Value:
        """Whether what is shown is this flit."""
        if self.port != LOCAL:
            return self.flit.as_value() == flit.as_value()
        names = ("data", "last", "source")
        return Cat(self.flit[name] == flit[name] for name in names).all()

    def turns(self, vc: int) -> list[tuple[AnyChannel, Any]]:
        """Turns to a virtual channel, each with its input channel, in the arbiter's order."""
        turns = [t for t in self._kind.turns if (t.output_port, t.output_vc) == (self.port, vc)]
        return [(self._channels[t.input_port, t.input_vc], t) for t in turns]

    def sources(self, vc: int) -> Signal:
        """Who leaves by it, a bit a turn."""
        goes = Cat(channel.goes(turn) for channel, turn in self.turns(vc))
        return self._bench.named(goes, f"sources_{self.name}_vc{vc}")

    def arbiter(self, vc: int) -> ChannelArbiter:
        """Arbiter of a virtual channel."""
        path = f"core.output_{self.name}.channel_{vc}"
        return self._make_arbiter(self._bench, path, len(self.turns(vc)))

    def switch(self) -> Arbiter | None:
        """Arbiter of the virtual channels, where there are several."""
        if len(self.vcs) == 1:
            return None
        return Arbiter(self._bench, f"core.output_{self.name}.switch", len(self.vcs))
