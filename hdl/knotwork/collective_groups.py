"""Groups of nodes that have collectives, as the keys of a network name them."""

from collections.abc import Iterator
from typing import NamedTuple

from .errors import ConfigurationError
from .network_words import read_node
from .operations import UserOperation, require_elements, word_of
from .parameters import RouterParameters
from .parameters.collectives import ALL, CollectiveParameters
from .routing.collectives import CollectiveTree, MessageFormat, Operation, collective_tree
from .topology import Topology


class NodeGroup(NamedTuple):
    """Group of nodes with a tree, and with ports of its own at each member.

    Members
    -------
    name : str
        What its ports and its module are named by: ``collective``; of several, ``collective0``.
    tree : CollectiveTree
        Members, and the links.
    form : MessageFormat
        Widths and operations of its messages.
    watchdog : int
        Cycles that it waits for a member before it reports it; 0 without a watchdog.
    """

    name: str
    tree: CollectiveTree
    form: MessageFormat
    watchdog: int = 0


class TreeCheck(NamedTuple):
    """What is checked of a group's tree.

    Members
    -------
    links : int
        Links of the tree.
    along_links : bool
        Each is a link of the graph, in either direction.
    acyclic : bool
        Every router but the centre has one parent, and every way up leads to the centre.
    complete : bool
        The tree serves every member of the group once.
    """

    links: int
    along_links: bool
    acyclic: bool
    complete: bool

    @property
    def holds(self) -> bool:
        """Whether all of it is as it must be."""
        return self.along_links and self.acyclic and self.complete


def check_tree(tree: CollectiveTree) -> TreeCheck:
    """Check a group's tree against the graph, by its links alone and not as it was laid."""
    routers, near = [router.router for router in tree.routers], tree.topology.neighbours
    links: list[tuple[int, int]] = []
    served: list[int] = []
    for router in tree.routers:
        for branch in router.branches:
            if branch.node is not None:
                served.append(branch.node)
            if branch.child is not None:
                links.append((routers[branch.child], router.router))
    parents = dict(links)
    rooted = {routers[0]}
    for start in routers:
        way = [start]
        while way[-1] not in rooted and way[-1] in parents and len(way) <= len(routers):
            way.append(parents[way[-1]])
        if way[-1] in rooted:
            rooted |= {*way}
    return TreeCheck(
        len(links),
        all((near[a] == b).any() or (near[b] == a).any() for a, b in links),
        len(links) == len(parents) == len({*routers}) - 1 and rooted == {*routers},
        sorted(served) == sorted(tree.members),
    )


def collective_groups(topology: Topology, keys: RouterParameters) -> tuple[NodeGroup, ...]:
    """Groups of a network, in the order of the key ``groups``; none without collectives.

    Parameters
    ----------
    topology : Topology
        Nodes, and the links along which trees lie.
    keys : RouterParameters
        Resolved.

    Raises
    ------
    ConfigurationError
        A node that is named as ports of groups are; a group with what is no node, or with a
        node twice; an operation that there is none of; a beat that is narrower than a
        header.
    """
    if not keys.collectives:
        return ()
    assert keys.groups is not None
    form = message_format(topology, keys)
    names = [f"collective{number}" for number in range(len(keys.groups))]
    if len(names) == 1:
        names = ["collective"]
    if keys.has_named_ports:
        _require_other_names(topology, names)
    return tuple(
        NodeGroup(
            name,
            collective_tree(topology, _members(topology, group)),
            form,
            keys.collective_watchdog,
        )
        for name, group in zip(names, keys.groups, strict=True)
    )


def _require_other_names(topology: Topology, names: list[str]) -> None:
    """Refuse nodes whose ports would have the names of those of groups."""
    for node in range(topology.nodes):
        label = topology.label(node)
        for name in names:
            if label.replace(".", "_").startswith(f"{name}_"):
                raise ConfigurationError(
                    f"{topology.name}: with ports=names and collectives=yes a node's label must "
                    f"not begin with {name}_, as ports of groups do, not {label!r} of node {node}"
                )


def message_format(topology: Topology, keys: CollectiveParameters) -> MessageFormat:
    """Widths and operations of all groups' messages.

    Raises
    ------
    ConfigurationError
        An operation that there is none of, or of the user's that combines such elements wrong; a
        beat that is narrower than a header.
    """
    assert keys.operations is not None
    assert keys.collective_width is not None
    assert keys.element_width is not None
    operations = tuple(_operation(one, keys.element_width) for one in keys.operations)
    # Wide enough for any header: how wide that is, the format says.
    header = MessageFormat(topology.nodes, 512, operations).header_bits
    if keys.collective_width < header:
        raise ConfigurationError(
            f"{topology.name}: collective_width must be at least {header}, the bits of a header, "
            f"not {keys.collective_width}"
        )
    return MessageFormat(topology.nodes, keys.collective_width, operations)


def _operation(given: str | type[UserOperation], element_width: int) -> Operation:
    """Operation of the key ``operations``; ``signed_`` before a word is of its elements."""
    if isinstance(given, type):
        require_elements(given, element_width)
        return Operation(word_of(given), element_width, user_defined=given)
    name = given.removeprefix("signed_")
    return Operation(name, element_width, signed=name != given)


def _members(topology: Topology, group: str) -> list[int]:
    """Nodes of a group of the key ``groups``."""
    if group == ALL:
        return list(range(topology.nodes))
    members: list[int] = []
    found: set[int] = set()
    for span in _spans(topology, group):
        for node in span:
            if node in found:
                raise ConfigurationError(
                    f"{topology.name}: groups must name a node once in a group, not {node} twice "
                    f"in {group}"
                )
            found.add(node)
            members.append(node)
    return members


def _spans(topology: Topology, group: str) -> Iterator[range]:
    owner = f"{topology.name}: groups"
    for word in group.split(","):
        ends = [read_node(end, topology, owner=owner) for end in word.split("-")]
        if ends[-1] < ends[0]:
            raise ConfigurationError(
                f"{owner}: a range must rise from its first node to its last, not be {word}"
            )
        yield range(ends[0], ends[-1] + 1)
