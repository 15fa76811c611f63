"""Pieces of the routers of batches, and of their controller."""

from collections.abc import Mapping

from ..network import Network, RouterKind
from ..routing.batch import BatchRouting
from .pieces import Sizes


def batch_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a batch router's pieces by figure."""
    address, data, links = (
        network.topology.address_width,
        network.hardware.data_width,
        len(kind.links),
    )
    routing = BatchRouting.of(network.routing)
    counts = routing.options.is_distributed
    shifts = network.parameters.get("control") == "shift"
    area = {
        "fixed": 1,
        "links": links,
        "messages": links * (data + 2 * address),
        "addresses of links": links * address,
        "address": address,
        "data": data,
        "table": shifts * address,
        "counter": counts,
        "bits of the counter": counts * address,
    }
    return {"lut4": area, "dpr": {}, "ff": area, "ns": {"path": 1, "address": address}}
