"""Verilog of a group's tree of collectives: a top of its own, beside that of the network."""

from amaranth.hdl import Cat

from ..gateware.collectives.tree import CollectiveGroup
from ..routing.collectives import CollectiveTree, MessageFormat
from .modules import Shell, add_module
from .source import Source, stamp_lines
from .writer.library import Library


def collectives_source(name: str, tree: CollectiveTree, form: MessageFormat) -> Source:
    """Modules of a group's tree; its top has an AXI4-Stream each way for every member.

    Of node i the stream into the tree is ``s_axis_collective_<i>_*`` and that out of it
    ``m_axis_collective_<i>_*``. `tdest` is the index of the node that a message names, `tid` that
    of the node that an answer names. `tuser` has, from the lowest bit, `part`, the kind and the
    operation, and in an answer `fault` above. For node i ``collective_refused_<i>`` is high for a
    cycle for each message that is dropped, ``collective_fault_<i>`` says what a message has other
    than those of its group, and ``collective_awaited_<i>`` is high while the group waits for one.

    Parameters
    ----------
    name : str
        Name of the top; all modules' names begin with it.
    tree, form
        As of `CollectiveGroup`.
    """
    group = CollectiveGroup(tree, form)
    shell = Shell(group)
    for member, node in enumerate(tree.members):
        send, receive = group.send[member], group.receive[member]
        into, out = f"s_axis_collective_{node}", f"m_axis_collective_{node}"
        sent, received = send.p, receive.p
        shell.input(f"{into}_tvalid", send.valid)
        shell.output(f"{into}_tready", send.ready)
        shell.input(f"{into}_tdata", sent.data)
        shell.input(f"{into}_tlast", sent.last)
        shell.input(f"{into}_tdest", sent.header.root)
        shell.input(f"{into}_tuser", Cat(sent.part, sent.header.kind, sent.header.operation))
        shell.output(f"{out}_tvalid", receive.valid)
        shell.input(f"{out}_tready", receive.ready)
        shell.output(f"{out}_tdata", received.data)
        shell.output(f"{out}_tlast", received.last)
        shell.output(f"{out}_tid", received.header.root)
        header = received.header
        shell.output(
            f"{out}_tuser", Cat(received.part, header.kind, header.operation, received.fault)
        )
        shell.output(f"collective_refused_{node}", group.refused[member])
        shell.output(f"collective_fault_{node}", group.fault[member])
        shell.output(f"collective_awaited_{node}", group.waits[member])
    library = Library(name)
    add_module(library, shell, name)
    return Source(header=_header(tree, form), modules=library.texts)


def _header(tree: CollectiveTree, form: MessageFormat) -> str:
    operations = ", ".join(
        f"{one.name} of {'signed ' if one.signed else ''}{one.element_width} bits"
        for one in form.operations
    )
    lines = (
        f"Collectives of {len(tree.members)} nodes of {tree.topology.name}, beats of {form.width} "
        f"bits: {operations}",
        f"The tree's order of nodes: {' '.join(map(str, tree.order))}",
    )
    return stamp_lines("//") + "".join(f"// {line}\n" for line in lines)
