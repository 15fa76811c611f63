"""Which part of the design a cell belongs to, from its hierarchical name."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from knotwork.gateware.router_class import node_suffix
from knotwork.network import Network

ROUTER = "router"
INTERFACE = "node interface"
NODE_TEST = "node test"
CONTROLLER = "controller"
LINKS = "registers of links"
SELF_TEST = "self-test"
BOARD = "board"

PARTS = (ROUTER, INTERFACE, CONTROLLER, LINKS, NODE_TEST, SELF_TEST, BOARD)
"""Parts of a design, from the network outwards."""

PART_TITLES = {
    ROUTER: "routers",
    INTERFACE: "interfaces of the nodes",
    CONTROLLER: "controller and monitor of the network",
    LINKS: "registers along links",
    NODE_TEST: "sources, checkers and registers at the nodes",
    SELF_TEST: "the rest of the self-test: tally, line, serial port",
    BOARD: "pins, clock and reset, and what nextpnr adds",
}
"""The parts in words."""


class Owner(NamedTuple):
    """Part of the design.

    Members
    -------
    part : str
        One of `PARTS`.
    number : int
        Number of the router or of the node; -1 where there is one such part alone.
    """

    part: str
    number: int = -1


class Place(NamedTuple):
    """Place of a cell in the hierarchy.

    Members
    -------
    owner : Owner
        Part of the design.
    inside : tuple of str
        Names of modules inside it, then of the signal.
    """

    owner: Owner
    inside: tuple[str, ...]


# What synthesis and packing append to the name of a signal: its bit, the kind of the cell, the pin.
_APPENDED = re.compile(r"(\[\d+\])?(_[A-Z][A-Z0-9]+(_.*)?|\$.*)?$")
_AT_NODE = re.compile(r"(?P<name>[a-z_]+)_(?P<node>\d+)(?P<signal>)")
_PORT = re.compile(r"(?P<name>inject|eject|[sm]_axis|refused)_+(?P<node>\d+)(?:_+(?P<signal>.+))?")


class Owners:
    """Owners of a self-test's cells.

    Synthesis names a cell that has no name of its own for a signal beside it, so a look-up table
    that holds gates of two modules counts for one of them.

    Parameters
    ----------
    network : Network
        Network under test.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._known = dict(self._instances())
        self._wires = re.compile(
            "link_(?:(?:chooser|node)_(?P<node>{})|(?P<router>{}))_(?P<signal>.+)".format(
                *("|".join(self._identifiers(prefix)) for prefix in ("node_", "router_"))
            )
        )

    def _instances(self) -> Iterator[tuple[str, Owner]]:
        """Names of instances in the network's Verilog, and who they are."""
        topology = self._network.topology
        for node in range(topology.nodes):
            for name in ("node", "chooser"):
                yield f"{name}_{topology.label(node)}", Owner(INTERFACE, node)
        for router in range(topology.routers):
            yield f"router_{topology.router_identifier(router)}", Owner(ROUTER, router)
        yield from ((name, Owner(CONTROLLER)) for name in ("controller", "monitor"))

    def _identifiers(self, prefix: str) -> list[str]:
        """What follows a prefix in the names of instances, as patterns, the longest first."""
        ends = [name.removeprefix(prefix) for name in self._known if name.startswith(prefix)]
        return [re.escape(end) for end in sorted(ends, key=len, reverse=True)]

    @cached_property
    def _interfaces(self) -> dict[tuple[int, str], Owner]:
        """Interfaces that are modules of routers, by router and name."""
        table = self._network.topology.local_nodes
        return {
            (router, f"node_interface{node_suffix(self._network, port)}"): Owner(INTERFACE, node)
            for router, nodes in enumerate(table.tolist())
            for port, node in enumerate(nodes)
            if node >= 0
        }

    def place(self, name: str) -> Place:
        """Place of a cell, or of a net, by its name after synthesis."""
        *modules, signal = name.removeprefix("$flatten").replace("\\", "").split(".")
        modules = [module.partition("$")[0] for module in modules]
        path = (*modules, *filter(None, [_APPENDED.sub("", signal, count=1)]))
        if path[:1] != ("selftest",):
            return Place(Owner(BOARD), path)
        for depth, module in enumerate(modules):
            if module in self._known:
                return self._inside(self._known[module], path[depth + 1 :])
        while path[1:2] == ("network",):
            path = path[1:]
        return self._beside(path[1:])

    def _inside(self, owner: Owner, inside: tuple[str, ...]) -> Place:
        """Place in an instance of the network's Verilog."""
        if inside[1:] and owner.part == ROUTER:
            interface = self._interfaces.get((owner.number, inside[0]))
            if interface is not None:
                return Place(interface, inside[1:])
        return Place(owner, inside)

    def _beside(self, inside: tuple[str, ...]) -> Place:
        """Place in no such instance: wires between them, or the test around the network."""
        first = inside[0] if inside else ""
        wires = self._wires.fullmatch(first)
        if wires:
            node, router = wires["node"], wires["router"]
            owner = self._known[f"router_{router}" if node is None else f"node_{node}"]
            return Place(owner, (f"link_{wires['signal']}",))
        if first.startswith("along_"):
            return Place(Owner(LINKS), inside)
        number = _PORT.fullmatch(first) or (_AT_NODE.fullmatch(first) if inside[1:] else None)
        if number and int(number["node"]) < self._network.topology.nodes:
            own = (number["name"], number["signal"] or "", *inside[1:])
            return Place(Owner(NODE_TEST, int(number["node"])), tuple(filter(None, own)))
        return Place(Owner(SELF_TEST), inside)

    @property
    def routers(self) -> int:
        """Number of routers."""
        return self._network.topology.routers

    def router_of(self, owner: Owner) -> int:
        """Router that an owner is, or serves as a node's part; -1 for what belongs to none."""
        if owner.part == ROUTER or owner.number < 0:
            return owner.number
        return self._network.topology.router_of(owner.number)

    def label(self, owner: Owner) -> str:
        """Name of a router or a node; empty where an owner is alone of its part."""
        if owner.number < 0:
            return ""
        topology = self._network.topology
        return (topology.router_label if owner.part == ROUTER else topology.label)(owner.number)

    def title(self, owner: Owner) -> str:
        """Owner in words."""
        return f"{owner.part} {self.label(owner)}".rstrip()

    def words(self, name: str) -> str:
        """Place of a cell in words: ``router 011, input dim2 vc0, count``."""
        place = self.place(name)
        return ", ".join([self.title(place.owner), *map(readable_name, place.inside)])


def readable_name(name: str) -> str:
    """Name of a module or a signal as words."""
    return " ".join(filter(None, name.split("_")))
