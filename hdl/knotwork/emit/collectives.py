"""What the manifest tells of collectives: groups, ports of their members, bits of a header."""

from ..collective_groups import NodeGroup
from ..network import Network
from ..routing.collectives import FAULTS, Collective
from .ports import port_name


def manifest_sections(network: Network) -> dict[str, object]:
    """Section of the manifest for groups that have collectives; none without."""
    groups = [_group(network, group) for group in network.collective_groups]
    return {"collectives": groups} if groups else {}


def _group(network: Network, group: NodeGroup) -> dict[str, object]:
    """Members, tree and messages of a group."""
    tree, form = group.tree, group.form
    return {
        "name": group.name,
        "members": [_member(network, group, node) for node in tree.members],
        "order": list(tree.order),
        "centre": network.topology.router_label(tree.centre),
        "depth": tree.depth,
        "cycles": tree.message_cycles(form),
        "latency": "an answer of L beats is complete at most L + cycles + 3 cycles after the last "
        "member has offered its first beat, where nobody pauses",
        "nodes": form.nodes,
        "width": form.width,
        "operations": [
            {
                "name": one.name,
                "element_width": one.element_width,
                "signed": one.signed,
                **({} if one.user_defined is None else {"latency": one.latency}),
            }
            for one in form.operations
        ],
        "kinds": {kind.name.lower(): int(kind) for kind in Collective},
        "mask_beats": form.mask_beats,
        "tuser": {
            field: {"low": low, "bits": bits} for field, (low, bits) in form.user_places.items()
        },
        "fault_bits": list(FAULTS),
    }


def _member(network: Network, group: NodeGroup, node: int) -> dict[str, object]:
    """A member's node, and the ports by which it takes part."""
    name = port_name(network, node)
    signals = [
        "refused",
        "fault",
        "awaited",
        *(["late"] if group.watchdog else []),
    ]
    return {
        "node": node,
        "label": network.topology.label(node),
        "send": f"s_axis_{group.name}_{name}",
        "receive": f"m_axis_{group.name}_{name}",
        **{signal: f"{group.name}_{signal}_{name}" for signal in signals},
    }
