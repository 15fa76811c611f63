"""Pieces of bufferless routers."""

from collections.abc import Mapping

from ..network import Network, RouterKind
from ..routing.deflection import Deflection, exchanges
from .pieces import Sizes, mux_luts


def deflection_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a bufferless router's pieces by figure."""
    address, links = network.topology.address_width, len(kind.links)
    has_phases = Deflection.of(network.routing).has_phases
    packet = network.hardware.data_width + address * (1 + network.has_source)
    packet += network.sequence_width + 2 * has_phases
    rounds = exchanges(links)
    area = {
        "fixed": 1,
        "rings": (not has_phases) * packet,
        "exchanges": has_phases * sum(map(len, rounds)) * packet,
        "wires": has_phases * links * packet,
        "ejection": has_phases * mux_luts(links) * packet,
        "links": has_phases * links,
        "pairs of links": has_phases * links**2,
        "addresses": links * address,
        "data": network.hardware.data_width,
    }
    delay = {"path": 1, "links": has_phases * links, "rounds": has_phases * len(rounds)}
    return {"lut4": area, "dpr": {}, "ff": area, "ns": delay | {"address": address}}
