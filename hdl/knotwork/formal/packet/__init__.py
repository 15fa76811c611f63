"""Packet routers: their bench and their properties."""

from collections.abc import Sequence

from ...network import Network, RouterKind
from ..prover import Property
from .bench import PacketBench
from .buffers import GRANTS, LEVELS, ORDER
from .grants import CROSSING, WORMHOLE


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    del network, kind
    return [LEVELS, GRANTS, ORDER, CROSSING, WORMHOLE]


__all__ = ["PacketBench", "properties"]
