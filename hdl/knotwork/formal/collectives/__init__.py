"""Proofs of collectives: each component of a tree, between others that do what is proven of them.

A header that `ports` sends is one that `merge` may get, and so on around the tree: what one harness
assumes of a flit that comes, the properties of those before it claim of what leaves. Groups share
nothing: each has components of its own.
"""

from collections.abc import Iterator, Sequence

from ...emit.modules import module_verilog
from ...network import Network
from ..component import ComponentProofs, component_shell
from ..harness import Harness
from ..property import Part, Property
from .buffers import buffer_proofs, skid_proofs
from .merge import merge_proofs
from .ports import receiver_proofs, sender_proofs
from .spread import spread_proofs
from .watchdog import watchdog_proofs


def collective_parts(network: Network) -> Sequence[Part]:
    """Modules of the trees of a network's groups, each once."""
    found: dict[str, ComponentProofs] = {}
    for name, proofs in _components(network):
        found.setdefault(network.module_name(f"collective_{name}"), proofs)
    return [_part(name, proofs) for name, proofs in found.items()]


def _components(network: Network) -> Iterator[tuple[str, ComponentProofs]]:
    """Components of a network's trees, with their proofs; groups have messages of one form."""
    for group in network.collective_groups:
        form = group.form
        yield "sender", sender_proofs(form)
        yield "receiver", receiver_proofs(form)
        yield "skid", skid_proofs(form)
        yield "buffer", buffer_proofs(form)
        for router in group.tree.routers:
            count = len(router.branches)
            yield f"spread_{count}way", spread_proofs(form, branches=count)
            if count > 1:
                yield "merge", merge_proofs(form)
        if group.watchdog:
            members = len(group.tree.members)
            yield (
                f"watchdog_{members}",
                watchdog_proofs(members=members, bound=group.watchdog),
            )


def _part(name: str, proofs: ComponentProofs) -> Part:
    def verilog(network: Network, name: str) -> str:
        del network
        return module_verilog(component_shell(proofs.make()), name)

    def harness(network: Network, name: str) -> Harness:
        del network
        made = proofs.harness()
        made.rename(name)
        return made

    def properties(network: Network) -> Sequence[Property]:
        del network
        return proofs.properties

    return Part(name, verilog, harness, properties)


def unproven_collectives(network: Network) -> Sequence[str]:
    """What is not proven of a network's collectives, in words."""
    operations = [one for group in network.collective_groups for one in group.form.operations]
    unknown = dict.fromkeys(one.name for one in operations if one.user_defined is not None)
    return [f"collectives: what {name} makes of two elements" for name in unknown]
