"""What the manifest says of bufferless routers: order, bounds, sequence numbers."""

from ..network import Network


def manifest_sections(network: Network) -> dict[str, object]:
    """Section of the manifest for bufferless routers."""
    return {"deflection": _deflection(network)}


def _deflection(network: Network) -> dict[str, object]:
    """Guarantees of bufferless routers, and how packets are numbered."""
    width = network.sequence_width
    found: dict[str, object] = {
        "max_packet": 1,
        "refused": "a packet of more than one beat",
        "order": "packets of one source and destination can overtake each other",
        "most_hops": network.routing.most_hops,
        "arrival": "no packet takes more than most_hops hops where m_axis_*_tready is always high; "
        "one that its node does not take at once goes round through the network and comes again",
    }
    if width:
        found["sequence"] = {
            "tuser": f"number of the packet, modulo {1 << width}, among those of its source and "
            "destination, from 0 after a reset; valid with every beat of m_axis",
            "ready": f"nodes send from the clock {1 << network.topology.address_width} after a "
            "reset on",
        }
    return found
