"""How the bridges between buses are proven."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove
from knotwork.untyped import Interface

from ...emit.shells import bridge_verilog
from ...gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from ...gateware.buses.target_bridges import TARGET_BRIDGES
from ...parameters import BusParameters
from . import initiators, targets
from .harness import BusHarness

SMALL = BusParameters(address_width=12, data_width=8, id_width=2, burst=4, outstanding=3)
"""Widths with which bridges are proven; AXI4-Lite has no narrower data than 32 bits."""


class BridgeProof(NamedTuple):
    """Bridge and its properties.

    Members
    -------
    make : callable
        Makes the bridge, by its parameters.
    properties : sequence of Property
        What is proven of it; each takes a `BusHarness`.
    keys : mapping
        Keys of the bridge beside the parameters.
    """

    make: Callable[..., Interface]
    properties: Sequence[Property]
    keys: Mapping[str, int]


_QUEUES = {"axi_lite": {"pending": targets.PENDING}, "wishbone": {"pending": targets.PENDING}}

BRIDGES = {
    f"{kind}_to_axi4": BridgeProof(make, initiators.PROPERTIES[kind], {})
    for kind, make in INITIATOR_BRIDGES.items()
} | {
    f"axi4_to_{kind}": BridgeProof(make, targets.PROPERTIES[kind], _QUEUES.get(kind, {}))
    for kind, make in TARGET_BRIDGES.items()
}
"""Bridges by name."""


def prove_bridge(
    name: str,
    bus: BusParameters = SMALL,
    *,
    only: Sequence[str] = (),
    edit: Callable[[str], str] = str,
) -> Iterator[Result]:
    """Prove the properties of a bridge, or some of them.

    Parameters
    ----------
    name : str
        One of `BRIDGES`.
    bus : BusParameters
        Its widths.
    only : sequence of str
        Names of properties; all if there are none.
    edit : callable
        Change of the Verilog before it is proven.
    """
    proof = BRIDGES[name]

    def make() -> Interface:
        return proof.make(bus=bus, **proof.keys)

    return prove(
        name,
        edit(bridge_verilog(make(), bus, name)),
        lambda: BusHarness(make(), bus, name),
        [one for one in proof.properties if not only or one.name in only],
    )
