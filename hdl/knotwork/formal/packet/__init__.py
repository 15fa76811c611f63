"""Packet routers: their bench and their properties."""

from collections.abc import Sequence

from ...network import Network, RouterKind
from ...topology import LOCAL
from ..prover import Property
from .arbiters import channel_arbiters
from .bench import PacketBench
from .buffers import GRANTS, LEVELS, order
from .grants import crossing, ownership, wormhole
from .progress import progress
from .routes import assertions, route
from .streams import node_properties, streams


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    orders = [order(network, port, vc) for port in kind.ports for vc in kind.input_vcs(port)]
    base = (LEVELS, GRANTS, *orders)
    base = (*base, ownership(base))
    crosses = crossing(base)
    worms = wormhole((*base, crosses))
    asked = [(turn.output_port, turn.output_vc) for turn in kind.turns]
    rivals = max(asked.count(output) for output in asked) - 1
    plain = all(kind.is_plain_output(port) for port, _ in asked)
    return [
        route(network, kind),
        *node_properties(plain=kind.is_plain_output(LOCAL)),
        *base,
        crosses,
        worms,
        streams(base),
        assertions(base),
        progress(
            (*base, crosses, worms),
            arbiters=channel_arbiters(network),
            rivals=rivals,
            plain=plain,
        ),
    ]


__all__ = ["PacketBench", "properties"]
