"""Headers for drivers of collectives: numbers of kinds and operations, `tuser`, orders of nodes."""

from collections.abc import Iterator

from ..collective_groups import NodeGroup
from ..network import Network
from ..routing.collectives import KIND_BITS, Collective
from ..routing.messages import operation_word
from .addresses import Number, header_files, header_names

_SUBJECT = "collectives"


def collective_header_names(top: str, network: Network) -> tuple[str, ...]:
    """Files of `collective_headers`."""
    return header_names(top, _SUBJECT) if network.collective_groups else ()


def collective_headers(top: str, network: Network, header: str) -> dict[str, str]:
    """Text of the headers for C and for Verilog by the file's name; none without collectives.

    Parameters
    ----------
    top : str
        Module of the network, or of a system, whose name begins all names.
    network : Network
        What the headers are of.
    header : str
        Comments at the head.
    """
    if not network.collective_groups:
        return {}
    return header_files(
        top,
        header,
        collective_numbers(network),
        subject=_SUBJECT,
        c_lines=[*_functions(top, network), *_orders(top, network)],
    )


def collective_numbers(network: Network) -> Iterator[Number]:
    """Numbers of kinds and operations; fields of `tuser`; widths; members of each group."""
    form = network.collective_groups[0].form
    for kind in Collective:
        yield Number(f"COLLECTIVE_KIND_{kind.name}", kind, KIND_BITS, "kind of a message")
    for place, one in enumerate(form.operations):
        name = operation_word(one).upper().replace(":", "_")
        what = f"operation, on elements of {one.element_width} bits"
        yield Number(f"COLLECTIVE_OPERATION_{name}", place, max(1, form.operation_bits), what)
    for field, (low, bits) in form.user_places.items():
        if bits:
            name = f"COLLECTIVE_TUSER_{field.upper()}"
            yield Number(f"{name}_LOW", low, 32, f"lowest bit of {field} in tuser")
            yield Number(f"{name}_BITS", bits, 32, f"bits of {field}")
    yield Number("COLLECTIVE_WIDTH", form.width, 32, "bits of a beat")
    yield Number("COLLECTIVE_MASK_BEATS", form.mask_beats, 32, "beats of a multicast's mask")
    for group in network.collective_groups:
        members = len(group.tree.members)
        yield Number(f"{group.name.upper()}_MEMBERS", members, 32, "nodes of the group")


def _functions(top: str, network: Network) -> Iterator[str]:
    """Functions that make `tuser` and read it, in C."""
    name, places = f"{top}_collective", network.collective_groups[0].form.user_places
    fields = {field: place for field, place in places.items() if place[1]}
    yield ""
    yield "#include <stdint.h>"
    yield ""
    yield "// tuser of a beat that a node sends; part is 1 on the last beat of a part of a scatter."
    yield "// tdest is the index of the node that is the root of a reduce or gather, otherwise 0."
    arguments = "uint32_t kind, uint32_t operation, uint32_t part"
    yield f"static inline uint32_t {name}_tuser({arguments}) {{"
    sent = [f"{field} << {low}" for field, (low, _) in fields.items() if field != "fault"]
    if "operation" not in fields:
        yield "  (void)operation; // there is one"
    yield f"  return {' | '.join(sent)};"
    yield "}"
    yield ""
    yield "// Fields of an answer's tuser; its tid is the root, or the sender where one node sends."
    for field in places:
        low, bits = places[field]
        value = f"tuser >> {low} & {(1 << bits) - 1:#x}u" if bits else "0 & tuser"
        yield f"static inline uint32_t {name}_{field}(uint32_t tuser) {{ return {value}; }}"
    yield ""
    yield "// Beat of a multicast's mask in which a node has its bit, and the place of the bit."
    width = network.collective_groups[0].form.width
    for what, sign in (("beat", "/"), ("bit", "%")):
        yield (
            f"static inline uint32_t {name}_mask_{what}(uint32_t node) "
            f"{{ return node {sign} {width}; }}"
        )


def _orders(top: str, network: Network) -> Iterator[str]:
    """Nodes of each group in the order in which a gather and a scatter have their parts, in C."""
    kind = "uint16_t" if network.topology.nodes <= 1 << 16 else "uint32_t"
    for group in network.collective_groups:
        yield ""
        yield "// Nodes in the order of the parts of a scatter, and of the answer to a gather."
        name = f"{top}_{group.name}_order[{len(group.tree.order)}]"
        yield f"static const {kind} {name} = {{"
        yield from _wrapped(group)
        yield "};"


def _wrapped(group: NodeGroup) -> Iterator[str]:
    order = group.tree.order
    for first in range(0, len(order), 16):
        yield f"  {', '.join(map(str, order[first : first + 16]))},"
