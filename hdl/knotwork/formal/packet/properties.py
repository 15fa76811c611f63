"""Properties of a packet router, each after what it rests on."""

from collections.abc import Iterator, Sequence

from ...network import Network, RouterKind
from ..property import Property
from .branching.ports import longest_broadcast
from .claims.branch_buffers import branch_buffer_view
from .claims.branch_order import branch_order
from .claims.branch_waits import branch_waits
from .claims.buffers import GRANTS, LEVELS, order
from .claims.grants import crossing, ownership, wormhole
from .claims.injection import from_nodes
from .claims.probes import probes
from .claims.progress import progress
from .claims.routes import assertions, branches, route
from .claims.streams import node_properties, streams
from .observed.arbiters import channel_arbiters
from .observed.channel import channel_name


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    base = (*from_nodes(kind), GRANTS, *_channels(network, kind))
    base = (*base, ownership(base))
    crosses = crossing(base)
    worms = wormhole((*base, crosses))
    asked = [(turn.output_port, turn.output_vc) for turn in kind.turns]
    rivals = max(asked.count(output) for output in asked) - 1
    plain = all(kind.is_plain_output(port) for port, _ in asked)
    return [
        route(network, kind),
        *([branches(network, kind)] if network.has_broadcast else []),
        *node_properties(kind),
        *base[len(from_nodes(kind)) :],
        crosses,
        worms,
        *_shared(network, kind),
        streams(base),
        *([probes(base)] if network.hardware.is_monitored else []),
        assertions(base),
        progress(
            (*base, crosses, worms),
            arbiters=channel_arbiters(network),
            rivals=rivals,
            plain=plain,
        ),
    ]


def _channels(network: Network, kind: RouterKind) -> Iterator[Property]:
    """Properties of the input channels' buffers."""
    places = [(port, vc) for port in kind.ports for vc in kind.input_vcs(port)]
    if not all(kind.branches(*place) for place in places):
        yield LEVELS
    for port, vc in places:
        if kind.branches(port, vc):
            yield branch_buffer_view(channel_name(network, port, vc), (port, vc))
            yield branch_order(network, port, vc)
        else:
            yield order(network, kind, port, vc)


def _shared(network: Network, kind: RouterKind) -> Iterator[Property]:
    """Properties of buffers that the branches of a packet share."""
    for port in kind.ports:
        for vc in kind.input_vcs(port):
            count = len(kind.branches(port, vc))
            if count and longest_broadcast(network) > 1:
                yield branch_waits(network, port, vc, branches=count)
