"""Cost of a network, estimated: pieces of its routers, times what synthesis took for each.

The costs per piece are fitted to synthesised routers by least relative squares, none negative;
`python -m quality.benchmarks.costs` measures, fits, and writes them with their errors.

"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ..collective_groups import NodeGroup
from ..errors import ConfigurationError
from ..estimates.networks import choosers
from ..monitoring import network_probes
from ..network import Network, RouterKind
from ..shipped import is_shipped
from .collectives import collective_pieces
from .pieces import Sizes, pointer_bits, ram_cells
from .routers import batch_pieces, circuit_pieces, deflection_pieces, packet_pieces


class Part(NamedTuple):
    """Modules beside the routers that are alike.

    Members
    -------
    role : str
        Name of the module, without the network's.
    number : int
        How many of them a network has.
    pieces : mapping
        Sizes of the pieces of one, by figure.
    """

    role: str
    number: int
    pieces: Mapping[str, Sizes]


def controller(network: Network) -> Part:
    """Controller, which hears all nodes."""
    area = {"fixed": 1, "nodes": network.topology.nodes}
    bits = {"fixed": 1, "address": network.topology.address_width}
    return Part("controller", 1, {"lut4": area, "dpr": {}, "ff": bits})


def batch_parts(network: Network) -> list[Part]:
    """Controller of batches."""
    return [controller(network)]


def circuit_parts(network: Network) -> list[Part]:
    """Interface of each node, chooser where nodes have several links, and controller."""
    address, data = network.topology.address_width, network.hardware.data_width
    longest = network.longest_packet or 1
    area = {
        "fixed": 1,
        "data": data,
        "address": address,
        "pointers": pointer_bits(2 * longest),
        "ends": network.hardware.ends_early,
    }
    stored = ram_cells(data + 1, 2 * longest)
    given = ram_cells(data + 1 + address * network.has_source, 2 * longest)
    interface = {"lut4": area, "dpr": {"cells": stored + given}, "ff": area}
    parts = [Part("interface", network.topology.nodes, interface), controller(network)]
    if choosers(network):
        chosen = {"fixed": 1, "data": data}
        parts.append(Part("chooser", choosers(network), {"lut4": chosen, "dpr": {}, "ff": chosen}))
    return parts


def packet_parts(network: Network) -> list[Part]:
    """Controller of loaded tables, and monitor."""
    parts: list[Part] = []
    if network.loads_tables:
        address = network.topology.address_width
        area = {"fixed": 1, "lost": network.topology.routers * 2 * address}  # of one of the routers
        bits = {"fixed": 1, "address": address}
        parts.append(Part("controller", 1, {"lut4": area, "dpr": {}, "ff": bits}))
    if network.hardware.is_monitored:
        parts.append(monitor(network))
    return parts


def monitor(network: Network) -> Part:
    """Counters, two of each channel and one of each node, and watchdog."""
    channels, hardware = network_probes(network).channels, network.hardware
    events = (2 * channels + network.topology.nodes) * hardware.has_counters
    area = {
        "counters": events > 0,
        "bits of events": events * events.bit_length(),
        "watched channels": channels * (hardware.watchdog_bound > 0),
    }
    # The bus reads a copy of the totals.
    totals = 2 * ram_cells(_TOTAL, events) if events else 0
    return Part("monitor", 1, {"lut4": area, "dpr": {"cells": totals}, "ff": area})


_TOTAL = 32
"""Bits of a total."""


def link_registers(network: Network) -> int:
    """Flip-flops along the links that take several cycles: flits ahead, credits back."""
    flit = network.hardware.data_width + 1 + 2 * network.topology.address_width
    flit += 5 * network.has_parity + network.has_broadcast + network.has_multicast
    wires = flit + 2 * network.virtual_channels
    return wires * sum(network.latency(*place) - 1 for place in network.long_links)


PARTS: Mapping[str, Callable[[Network], list[Part]]] = {
    "batch": batch_parts,
    "circuit": circuit_parts,
    "packet": packet_parts,
}
"""Parts by router class; routers of the others have their nodes' interfaces within."""


MODEL = Path(__file__).with_name("model.json")
"""Costs per piece, and errors for networks to which they were not fitted."""

PIECES: Mapping[str, Callable[[Network, RouterKind], Mapping[str, Sizes]]] = {
    "packet": packet_pieces,
    "deflection": deflection_pieces,
    "batch": batch_pieces,
    "circuit": circuit_pieces,
}
"""Pieces of routers by router class."""

RAM_LUTS = 6
"""Lookup tables that a cell of distributed RAM stands for in `Area.luteq`."""


class Area(NamedTuple):
    """Cells of ECP5.

    Members
    -------
    lut4 : float
        Lookup tables of four inputs.
    dpr : float
        Cells of distributed RAM.
    ff : float
        Flip-flops.
    """

    lut4: float
    dpr: float
    ff: float

    @property
    def luteq(self) -> float:
        """Area as lookup tables."""
        return self.lut4 + RAM_LUTS * self.dpr

    def plus(self, other: Self, count: int = 1) -> "Area":
        """Sum with so many others."""
        return Area(*(mine + count * its for mine, its in zip(self, other, strict=True)))

    def as_json(self) -> dict[str, int]:
        """Whole cells by name."""
        return {name: round(getattr(self, name)) for name in ("lut4", "dpr", "ff", "luteq")}


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Estimated cost of a network on ECP5.

    Members
    -------
    role : str
        Router with the most ports and turns.
    router : Area
        Area of that router in its place.
    network : Area
        Area of all routers, and of what stands beside them.
    fmax_mhz : float
        Frequency of that router, placed alone.
    collectives : Area or None
        Area of the trees of collectives, which that of the network includes; None without any.
    """

    role: str
    router: Area
    network: Area
    fmax_mhz: float
    collectives: Area | None = None

    def as_json(self) -> dict[str, object]:
        """Fields that ``describe --cost --json`` promises."""
        trees, error = self.collectives, {"error": model()["collectives"]["errors"]}
        return {
            "family": "ecp5",
            "router": {
                "role": self.role,
                **self.router.as_json(),
                "fmax_mhz": round(self.fmax_mhz, 1),
            },
            "network": self.network.as_json(),
            **({} if trees is None else {"collectives": trees.as_json() | error}),
            "error": model()["errors"],
        }

    def cells(self) -> dict[str, str]:
        """Fields as a table shows them."""
        errors = model()["errors"]
        trees = {}
        if self.collectives is not None:
            most = model()["collectives"]["errors"]["luteq"]["most"]
            trees = {
                "trees of collectives": f"about {_area_text(self.collectives)}; LUTeq within "
                f"{most:.0%}"
            }
        return {
            "largest router": f"about {_area_text(self.router)} ({self.role}, ECP5)",
            f"all routers{' and trees' if trees else ''}": f"about {_area_text(self.network)}",
            **trees,
            "frequency": f"about {self.fmax_mhz:.0f} MHz, the largest router placed alone",
            "error of the cost": (
                f"LUTeq of all routers within {_most('network_luteq')}, of the largest within "
                f"{_most('luteq')}, MHz within {_most('fmax_mhz')} "
                f"({errors['fmax_mhz']['mean']:.0%} on average), for {errors['networks']} networks "
                f"that it was not fitted on"
            ),
        }


def _most(figure: str) -> str:
    """Greatest error of a figure, in per cent."""
    return f"{model()['errors'][figure]['most']:.0%}"


def _area_text(area: Area) -> str:
    cells = area.as_json()
    return (
        f"{cells['luteq']:,} LUTeq: {cells['lut4']:,} LUT4, {cells['dpr']:,} RAM cells, "
        f"{cells['ff']:,} flip-flops"
    )


def estimated_cost(network: Network) -> Estimate:
    """Estimated cost of a network, without synthesis.

    Raises
    ------
    ConfigurationError
        No such router was measured.
    """
    require_fitted(network)
    counts = np.bincount(network.router_number, minlength=len(network.router_kinds))
    total, areas = Area(0, 0, 0), {}
    for kind, count in zip(network.router_kinds, counts.tolist(), strict=True):
        areas[kind.role] = router_area(network, kind)
        total = total.plus(areas[kind.role], count)
    for part in PARTS.get(network.router_class, lambda _: [])(network):
        total = total.plus(area_of(f"{network.router_class} {part.role}", part.pieces), part.number)
    total = total.plus(Area(0, 0, link_registers(network)))
    trees = None
    for group in network.collective_groups:
        tree = tree_area(group)
        total, trees = total.plus(tree), tree.plus(trees or Area(0, 0, 0))
    largest = largest_kind(network)
    return Estimate(
        role=largest.role,
        router=areas[largest.role],
        network=total,
        fmax_mhz=fmax_of(model_name(network), PIECES[network.router_class](network, largest)["ns"]),
        collectives=trees,
    )


def router_area(network: Network, kind: RouterKind) -> Area:
    """Area of a router of a kind, in its place."""
    return area_of(model_name(network), PIECES[network.router_class](network, kind))


def tree_area(group: NodeGroup) -> Area:
    """Area of a group's tree of collectives."""
    costs, pieces = model()["collectives"]["costs"], collective_pieces(group)
    return Area(*(_sum(costs[figure], pieces[figure]) for figure in Area._fields))


def largest_kind(network: Network) -> RouterKind:
    """Kind of router with the most ports and turns."""
    return max(network.router_kinds, key=lambda kind: (len(kind.ports), len(kind.turns)))


def model_name(network: Network) -> str:
    """Name of the costs of a network's routers."""
    return "credits" if network.has_credits else network.router_class


def area_of(name: str, pieces: Mapping[str, Sizes]) -> Area:
    """Area of a module by the sizes of its pieces."""
    costs = model()["costs"][name]
    return Area(*(_sum(costs[figure], pieces[figure]) for figure in Area._fields))


def fmax_of(name: str, pieces: Sizes) -> float:
    """Frequency in MHz by the pieces of the longest path."""
    return 1000 / _sum(model()["costs"][name]["ns"], pieces)


def _sum(costs: Mapping[str, float], sizes: Sizes) -> float:
    return sum(costs.get(piece, 0.0) * size for piece, size in sizes.items())


@cache
def model() -> dict[str, Any]:
    """Costs per piece and their errors."""
    return json.loads(MODEL.read_text(encoding="utf-8"))


def require_fitted(network: Network) -> None:
    """Refuse a network with routers whose like was not measured.

    Raises
    ------
    ConfigurationError
        Names what they have.
    """
    asks_rule = PIECES[network.router_class] is packet_pieces
    has = {
        "rules of your own": asks_rule and not is_shipped(type(network.routing)),
        "packets of several words": network.shortest_packet > 1,
    }
    for what, is_there in has.items():
        if is_there:
            raise ConfigurationError(f"{network.name}: the cost of {what} cannot be estimated")
