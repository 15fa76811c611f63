"""Facts of a system: its planes, what is at its nodes, its addresses."""

from typing import Any

from .beats import flits_per_beat
from .system import System


def system_facts(system: System) -> dict[str, Any]:
    """Facts by name; nothing for a network alone."""
    if system.is_plain:
        return {}
    told: dict[str, Any] = {
        "top": system.name,
        **system.settings.as_dict(),
        "planes": [
            {"name": plane.name, "data_width": plane.network.hardware.data_width}
            for plane in system.planes
        ],
        "at": [
            {
                "node": node.index,
                "label": system.network.topology.label(node.index),
                "bus": node.bus,
                "side": node.side or None,
                "width": node.width or system.bus.data_width,
                "clock": node.clock,
            }
            for node in system.nodes
            if node.bus != "none"
        ],
    }
    if system.map:
        told["bus"] = system.bus.as_dict()
        told["flits_per_beat"] = flits_per_beat(system)
        told["map"] = [{"name": name, **vars(region)} for name, region in system.map.items()]
    return told
