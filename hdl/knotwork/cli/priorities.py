"""What `describe` reports of traffic classes: the bound of the highest one's latency."""

from typing import Any

from ..network import Network
from ..routing.altered import ClassedRouting
from ..routing.walks.latency_bound import LatencyBound, latency_bound


def priorities(network: Network) -> dict[str, object]:
    """Bound of the highest class's latency, where there are classes of traffic."""
    routing = network.routing
    if not isinstance(routing, ClassedRouting):
        return {}
    limit = network.injection_limits[-1]
    if network.class_weights:
        found = LatencyBound(reason="the bound is that of arbitration=strict")
    else:
        found = latency_bound(
            routing.base,
            limit,
            depth=network.hardware.input_buffer,
            cycles_per_hop=network.cycles_per_hop,
        )
    packet = None if limit is None else limit.burst
    return {
        "latency_bound": {
            "class": network.traffic_classes - 1,
            "packet": packet,
            **found._asdict(),
        }
    }


def bound_cell(found: Any) -> str:
    """Bound of a class's latency as a table shows it."""
    if found["cycles"] is None:
        return f"none for class {found['class']}: {found['reason']}"
    flits = f"{found['packet']} flit{'s' if found['packet'] > 1 else ''}"
    which = f"packets of class {found['class']}, of up to {flits}"
    return f"{found['cycles']} cycles in the network for {which}"
