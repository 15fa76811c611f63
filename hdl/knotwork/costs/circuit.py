"""Pieces of circuit switches, and of what stands at their nodes."""

from collections.abc import Mapping

from ..network import Network, RouterKind
from ..topology.lcan import LeastCommonAncestor
from .pieces import Sizes, mux_luts, over_one


def circuit_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a switch's pieces by figure.

    An output below is reached from the other downers, where circuits turn round, and from the
    uppers; one above from the downers. A scan begins at a number of downers or uppers, which takes
    a multiplication (`scan_start`) where they are no power of two.
    """
    topology = LeastCommonAncestor.of(network.topology)
    downers = topology.downers[topology.level_of(kind.router)]
    uppers = len(kind.ports) - 1 - downers
    turns = topology.turns_round
    fans = [(downers - 1) * turns + uppers] * downers + [downers] * uppers
    link = network.hardware.data_width + 2
    compares = downers * topology.address_width if turns and uppers else 0
    area = {
        "choice": any(fan > 1 for fan in fans),
        "crosspoints": sum(fans),
        "crossbar": sum(map(mux_luts, fans)) * link,
        "inputs of the crossbar": over_one(fans) * link,
        "requests": over_one(fans),
        "pairs of requests": over_one(fans, 2),
        "addresses": compares,
        "wires": (downers + uppers) * link,
    }
    multiplied = any(count & (count - 1) for count in (downers, uppers))
    delay = {
        "path": 1,
        "fan": (max(fans) - 1).bit_length(),
        "inputs": max(fans),
        "multiplied": multiplied,
    }
    return {"lut4": area, "dpr": {}, "ff": area, "ns": delay}
