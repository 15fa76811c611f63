"""Saturation of networks under uniform traffic, from the golden model, and kept.

The answers are kept in ``saturation.csv``, by the network's word and the length of its packets. A
kept answer is used as long as the golden model is still steady at that load and accepts as much:
one run of 30,000 cycles instead of a sweep. A router that behaves otherwise is swept anew.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from knotwork.network import Network
from knotwork.network_words import join_words, network_words
from knotwork.topology import Mesh
from knotwork_sim import sweep
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.point import measure_point
from knotwork_sim.traffic.keys import Traffic

from ..names import read_rows, write_rows

ANSWERS = Path(__file__).with_name("saturation.csv")
"""Answers that are kept, a row per network and length."""
LENGTHS = (1, 4)
"""Flits of a packet."""
FIELDS = tuple(
    f"{what}_{length}" for length in LENGTHS for what in ("saturation", "throughput_per_area")
)
"""Fields of `delivered`."""
SIDE = 8
"""Nodes of a row and of a column of the mesh under load."""


class Saturation(NamedTuple):
    """Saturation of a network, in flits per node per cycle."""

    network: str  # in one word
    length: int  # flits of each packet
    offered: float  # largest load that is steady: its saturation throughput
    accepted: float  # what it accepted there
    overload: float  # what it accepted at the highest load
    ideal: float  # throughput that the fullest channel allows

    @property
    def share(self) -> float:
        """Saturation as a share of the ideal throughput."""
        return self.offered / self.ideal

    @property
    def holds(self) -> bool:
        """Whether the golden model is still steady at the same load, and accepts as much."""
        point = measure_point(
            Network.from_word(self.network),
            Traffic(length=(self.length, self.length)),
            self.offered,
            window=Window(),
        )
        return not point.saturated and point.accepted == self.accepted


@cache
def saturation(net: str, length: int) -> Saturation:
    """Saturation of a network in one word, under packets of a length: kept, or searched."""
    found = kept_saturations().get((net, length))
    if found is None or not found.holds:
        found = searched(net, length)
        keep(found)
    return found


def searched(net: str, length: int) -> Saturation:
    """Saturation that a sweep finds: the largest load up to which the network is steady.

    For one that saturates at no load that its nodes can offer, it is the highest.
    """
    (curve,) = sweep(net, length=length).curves
    assert curve.ideal_throughput is not None, net
    steady, _ = curve.saturated_between or (curve.highest_load, None)
    (point,) = [point for point in curve.points if point.offered == steady]
    overload = curve.points[-1].accepted
    return Saturation(net, length, steady, point.accepted, overload, curve.ideal_throughput)


def kept_saturations() -> dict[tuple[str, int], Saturation]:
    """Kept answers by network and length."""
    rows = [
        Saturation(net, int(length), *map(float, flits))
        for net, length, *flits in map(dict.values, read_rows(ANSWERS))
    ]
    return {(row.network, row.length): row for row in rows}


def keep(found: Saturation) -> None:
    """Keep an answer, over that of the same network and length."""
    kept = kept_saturations() | {(found.network, found.length): found}
    write_rows(ANSWERS, Saturation._fields, (kept[key] for key in sorted(kept)))


def under_load(net: str) -> str | None:
    """8x8 mesh of the routers of a mesh, in one word; None for another network."""
    if not isinstance(Network.from_word(net).topology, Mesh):
        return None
    name, keys = network_words([net])
    keys |= {"x": SIDE, "y": SIDE}
    return join_words([name, *(f"{key}={value}" for key, value in keys.items())])


def delivered(net: str, cost: Mapping[str, Any]) -> dict[str, float | None]:
    """What a mesh of such routers delivers for its area, for each length of packets.

    The saturation is in flits per node per cycle of the 8x8 mesh, and its product with ``fmax_mhz``
    per 1,000 ``luteq``; None where the network is no mesh, or has no frequency.
    """
    mesh, fields = under_load(net), {}
    for length in LENGTHS:
        flits = mesh and saturation(mesh, length).offered
        fields[f"saturation_{length}"] = flits
        fields[f"throughput_per_area_{length}"] = (
            round(1000 * flits * cost["fmax_mhz"] / cost["luteq"], 1)
            if flits and cost["fmax_mhz"]
            else None
        )
    return fields
