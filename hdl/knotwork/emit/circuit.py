"""Manifest entries of circuit switches: limits, network cycles, the word of a packet."""

from ..network import Network
from ..parameters import CircuitParameters
from ..routing.circuits import circuit_clocks, cycle_clocks, refusal_clocks
from ..topology import LeastCommonAncestor


def manifest_sections(network: Network) -> dict[str, object]:
    """Section of the manifest for circuit switches."""
    return {"circuit": _circuit(network)}


def _copies(topology: LeastCommonAncestor) -> dict[str, object]:
    """Copies of the levels, where there are several."""
    if topology.copies == 1:
        return {}
    orders = [list(topology.digit_order(copy)) for copy in range(topology.copies)]
    return {"copies": [{"digit_order": order} for order in orders]}


def _early(network: Network) -> dict[str, object]:
    """When network cycles end, where not all are of one length."""
    if not CircuitParameters.of(network.hardware).ends_early:
        return {}
    topology = LeastCommonAncestor.of(network.topology)
    after = "after 6 L + B + 6 clocks for a packet of B beats with LCA level L, after 4 L + 6"
    if not topology.turns_round:
        least = refusal_clocks(topology.hop_counts[-1])
        after = f"after {circuit_clocks(topology.hop_counts[-1], 0)} + B clocks for a packet of B "
        after += f"beats, after {least}"
    return {
        "network_cycle_ends": f"with the last flit of its last circuit: {after} for one without a "
        "circuit; network_cycle is the longest"
    }


def _sides(topology: LeastCommonAncestor) -> dict[str, object]:
    """Nodes that send to each other, in one-way use."""
    if topology.turns_round:
        return {}
    first, second = ([side.start, side.stop - 1] for side in topology.sides)
    return {
        "sides": {
            "pes": first,
            "terminals": second,
            "sends": "a node sends to the other side only; a packet to its own side is refused",
        }
    }


def _circuit(network: Network) -> dict[str, object]:
    """Limits and cycles of a circuit-switched network, and how a packet names its way."""
    topology = LeastCommonAncestor.of(network.topology)
    longest = CircuitParameters.of(network.hardware).max_packet
    most, above = max(topology.downers), max(topology.linked_uppers)
    found: dict[str, object] = {
        "max_packet": longest,
        "refused": f"a packet of more than {longest} beats, or whose word names no upper",
        "network_cycle": cycle_clocks(topology, longest),
        **_early(network),
        "links": {
            "A": f"a0..a{most - 1}: from below, by downer",
            "B": f"b0..b{above - 1}: from above, by upper" if above else "none",
            "C": f"c0..c{most - 1}: to below, by downer",
            "D": f"d0..d{above - 1}: to above, by upper" if above else "none",
        },
        **_copies(topology),
        **_sides(topology),
        "protocol": "in a network cycle every node offers one packet, which gets its whole circuit "
        "or is offered again in the next; a packet takes part once its last beat is in. Nothing "
        "is sent to a node without room for a packet of the greatest length",
    }
    if network.routing.word_layout:
        fields, place = [], 0
        for level, uppers in enumerate(topology.uppers[:-1]):
            width = (uppers - 1).bit_length()
            if width:
                bits = f"bits {place + width - 1}..{place}"
                fields.append(f"{bits} the upper to take on level {level}")
            place += width
        found["word"] = "tuser on a packet's first beat: " + ", ".join(fields or ["nothing"])
    return found
