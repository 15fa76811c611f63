"""Keys of a system that are not their default, as users write them."""

from collections.abc import Mapping

from .bus import BusParameters
from .node import NodeParameters
from .region import Region
from .settings import SystemParameters


def told_keys(
    settings: SystemParameters,
    nodes: Mapping[str, NodeParameters],
    bus: BusParameters,
    regions: Mapping[str, Region],
) -> dict[str, object]:
    """Dotted keys with their values: ``node.3.clock``.

    Parameters
    ----------
    settings : SystemParameters
        Keys of the whole.
    nodes : mapping of str to NodeParameters
        Keys of nodes, by what stands before the last dot.
    bus : BusParameters
        Keys of buses, told where there are addresses.
    regions : mapping of str to Region
        Address map.
    """
    usual, usual_bus = SystemParameters().as_dict(), BusParameters().as_dict()
    told = {k: v for k, v in settings.as_dict().items() if v != usual[k]}
    for before, keys in nodes.items():
        told |= {f"{before}.{k}": v for k, v in keys.as_dict().items() if v is not None}
    if regions:
        told |= {f"bus.{k}": v for k, v in bus.as_dict().items() if v != usual_bus[k]}
    for name, region in regions.items():
        told |= {f"map.{name}.{k}": v for k, v in region.as_dict().items()}
    return told
