"""What a router shows a monitor: flits that come, channels that wait, and turns that they want."""

from collections.abc import Hashable, Mapping, Sequence

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Member, Out

from ...monitoring import InputProbe, input_probes, probe_widths
from ...network import Network, RouterKind
from ...untyped import Interface
from .front import FrontEncoding
from .router_option import RouterOption


def watched_channels(network: Network, kind: RouterKind, port: int) -> tuple[InputProbe, ...]:
    """Channels of an input port that a monitor watches; none without one."""
    if not network.hardware.is_monitored:
        return ()
    return tuple(one for one in input_probes(kind) if one.port == port)


def port_probes(watched: Sequence[InputProbe]) -> dict[str, Member]:
    """Members of an input port whose channels a monitor watches; none without one.

    Members
    -------
    waits : Out(channels)
        The channel holds a flit, and none leaves it in this cycle.
    wants_vc0, ... : Out(turns)
        Turns for which the channel's flit requests, as of `Probes`.
    """
    wants = {_wants(one.virtual_channel): Out(len(one.turns)) for one in watched}
    return {"waits": Out(len(watched)), **wants} if watched else {}


def watched_places(watched: Sequence[InputProbe], encoding: FrontEncoding) -> Hashable:
    """What the members of `port_probes` depend on: places of outputs, and of their channels."""

    def places(one: InputProbe) -> Hashable:
        turns = [(turn.output_port, turn.output_vc) for turn in one.turns]
        found = tuple(
            (encoding.outputs.index(port), encoding.taken(port, vc)) for port, vc in turns
        )
        return one.virtual_channel, found

    return tuple(map(places, watched))


def _wants(vc: int) -> str:
    """Member with the turns of a virtual channel."""
    return f"wants_vc{vc}"


def show_channels(
    m: Module,
    port: Interface,
    watched: Sequence[InputProbe],
    *,
    here: Value,
    nonempty: Value,
    leaves: Value,
) -> None:
    """Show which channels of an input port wait, and for which turns; nothing of none.

    Parameters
    ----------
    m : Module
        Module of the port.
    port : FrontPort
        Port with the members of `port_probes`.
    watched : sequence of InputProbe
        Its channels.
    here, nonempty, leaves : Value
        A bit per channel: the front is its own, if there is a flit; it holds a flit; one leaves it.
    """
    if watched:
        m.d.comb += port.waits.eq(nonempty & ~leaves)
    outputs = port.encoding.outputs
    for place, one in enumerate(watched):
        wants: Signal = getattr(port, _wants(one.virtual_channel))
        requests = Signal.like(wants, name=f"requests_vc{one.virtual_channel}")
        for number, turn in enumerate(one.turns):
            shown = here[place] & port.turn[outputs.index(turn.output_port)]
            m.d.comb += requests[number].eq(shown & port.takes(turn.output_port, turn.output_vc))
        if len(nonempty) == 1:  # the front is always its own
            m.d.comb += wants.eq(requests)
            continue
        requested = Signal.like(wants, name=f"requested_vc{one.virtual_channel}")
        port.requested[one.virtual_channel] = requested
        with m.If(here[place]):
            m.d.sync += requested.eq(
                requests & ~(leaves[place] & port.last).replicate(len(requests))
            )
        kept = (nonempty[place] & ~here[place]).replicate(len(requests))
        m.d.comb += wants.eq(requests | (requested & kept))


class Probes(RouterOption):
    """What a router shows a monitor.

    Its channels are its input channels, by port and virtual channel, and then those to its nodes.

    Parameters
    ----------
    network, kind
        As for `CreditRouter`.

    Members
    -------
    probe_flits : Out(channels)
        A flit comes into the channel.
    probe_waits : Out(channels)
        The channel holds a flit, and none leaves it in this cycle.
    probe_wants : Out(turns)
        Of each input channel, the turns that its flit requests. A port shows its outputs one
        channel at a time: of the others it is what they requested when they were last shown, and
        nothing of a packet that was not shown yet.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        del network
        self._kind = kind
        self._ports: dict[tuple[int, int], Interface] = {}

    def members(self) -> Mapping[str, Member]:
        widths = probe_widths(self._kind)
        return {
            "probe_flits": Out(widths.channels),
            "probe_waits": Out(widths.channels),
            "probe_wants": Out(widths.turns),
        }

    def input_port(self, m: Module, port: int, one: Interface) -> None:
        del m
        front = one.front
        self._ports |= {(port, vc): front for vc in front.encoding.channels}

    def connect(self, m: Module, router: wiring.Component) -> None:
        shown: Interface = router
        inputs = [(one.port, one.virtual_channel) for one in input_probes(self._kind)]
        ports = [self._ports[place] for place in inputs]
        places = [
            port.encoding.channels.index(vc) for port, (_, vc) in zip(ports, inputs, strict=True)
        ]
        nodes = [shown.node_side(port).eject for port in self._kind.node_ports]
        flits = [port.arrives[place] for port, place in zip(ports, places, strict=True)]
        flits += [node.valid & node.ready for node in nodes]
        waits = [port.waits[place] for port, place in zip(ports, places, strict=True)]
        waits += [node.valid & ~node.ready for node in nodes]
        wants = [getattr(port, _wants(vc)) for port, (_, vc) in zip(ports, inputs, strict=True)]
        m.d.comb += [
            shown.probe_flits.eq(Cat(flits)),
            shown.probe_waits.eq(Cat(waits)),
            shown.probe_wants.eq(Cat(wants)),
        ]
