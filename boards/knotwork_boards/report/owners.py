"""Cells of a build, where they are, and which part of the design owns each."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from knotwork.gateware.router_class import node_suffix
from knotwork.network import Network

from ..families import Family
from ..untyped import JsonObject

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
        Number of the router or of the node; -1 where there is only one such part.
    """

    part: str
    number: int = -1


class Location(NamedTuple):
    """Location of a cell in the hierarchy.

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

    Synthesis names a cell without a name after a signal next to it, so a look-up table
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

    def locate(self, name: str) -> Location:
        """Location of a cell, or of a net, by its name after synthesis."""
        *modules, signal = name.removeprefix("$flatten").replace("\\", "").split(".")
        modules = [module.partition("$")[0] for module in modules]
        path = (*modules, *filter(None, [_APPENDED.sub("", signal, count=1)]))
        if path[:1] != ("selftest",):
            return Location(Owner(BOARD), path)
        for depth, module in enumerate(modules):
            if module in self._known:
                return self._inside(self._known[module], path[depth + 1 :])
        while path[1:2] == ("network",):
            path = path[1:]
        return self._beside(path[1:])

    def _inside(self, owner: Owner, inside: tuple[str, ...]) -> Location:
        """Location in an instance of the network's Verilog."""
        if inside[1:] and owner.part == ROUTER:
            interface = self._interfaces.get((owner.number, inside[0]))
            if interface is not None:
                return Location(interface, inside[1:])
        return Location(owner, inside)

    def _beside(self, inside: tuple[str, ...]) -> Location:
        """Location in no such instance: wires between them, or the test around the network."""
        first = inside[0] if inside else ""
        wires = self._wires.fullmatch(first)
        if wires:
            node, router = wires["node"], wires["router"]
            owner = self._known[f"router_{router}" if node is None else f"node_{node}"]
            return Location(owner, (f"link_{wires['signal']}",))
        if first.startswith("along_"):
            return Location(Owner(LINKS), inside)
        number = _PORT.fullmatch(first) or (_AT_NODE.fullmatch(first) if inside[1:] else None)
        if number and int(number["node"]) < self._network.topology.nodes:
            own = (number["name"], number["signal"] or "", *inside[1:])
            return Location(Owner(NODE_TEST, int(number["node"])), tuple(filter(None, own)))
        return Location(Owner(SELF_TEST), inside)

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
        """Name of a router or a node; empty where there is only one owner of its part."""
        if owner.number < 0:
            return ""
        topology = self._network.topology
        return (topology.router_label if owner.part == ROUTER else topology.label)(owner.number)

    def title(self, owner: Owner) -> str:
        """Owner in words."""
        return f"{owner.part} {self.label(owner)}".rstrip()

    def words(self, name: str) -> str:
        """Location of a cell in words: ``router 011, input dim2 vc0, count``."""
        place = self.locate(name)
        return ", ".join([self.title(place.owner), *map(readable_name, place.inside)])


def readable_name(name: str) -> str:
    """Name of a module or a signal as words."""
    return " ".join(filter(None, name.split("_")))


BEL = "NEXTPNR_BEL"
"""Attribute in which nextpnr writes a cell's position: ``X12/Y5/lc3``, ``X12Y5/LUT3``."""

_DIGITS = "0123456789"
_TILE = re.compile(r"X(\d+)/?Y(\d+)/")

Tile = tuple[int, int]
"""Column and row of the FPGA, as nextpnr counts them."""


class Cells(NamedTuple):
    """Cells of a build by owner.

    Members
    -------
    used : dict
        Cells by owner, of each kind of resource that the family has.
    tiles : dict
        Cells of any such kind by tile, and there by owner.
    """

    used: dict[Owner, Counter[str]]
    tiles: dict[Tile, Counter[Owner]]


def read_cells(placed: Path, netlist: Path, *, owners: Owners, family: Family) -> Cells:
    """Read nextpnr's answer, a JSON file, and Yosys's for the kinds that nextpnr does not count.

    Raises
    ------
    ValueError
        A cell without a place.
    """
    cells = Cells({}, {})
    for name, cell in _top_cells(placed):
        kind, size = _taken(cell, family)
        if kind is not None:
            owner = owners.locate(name).owner
            cells.used.setdefault(owner, Counter())[kind] += size
            cells.tiles.setdefault(_tile(name, cell), Counter())[owner] += 1
    if family.counted:
        for name, cell in _top_cells(netlist):
            for kind, prefix in family.counted.items():
                if cell["type"].startswith(prefix):
                    owner = owners.locate(name).owner
                    cells.used.setdefault(owner, Counter())[kind] += 1
    return cells


def _taken(cell: JsonObject, family: Family) -> tuple[str | None, int]:
    """Kind of resource that a cell takes, and how much of it.

    Where cells of several types fit one place of the FPGA, nextpnr counts the places: a ``DFFR`` in
    ``X12Y5/DFF3`` is a ``DFF``.
    """
    place = cell["attributes"].get(BEL, "").rpartition("/")[2].rstrip(_DIGITS)
    for kind, taken in family.cells.items():
        for counted, size in taken.items():
            if counted == cell["type"] or counted.rstrip(_DIGITS) == place:
                return kind, size
    return None, 0


def _top_cells(path: Path) -> Iterator[tuple[str, JsonObject]]:
    """Cells of the top module in a netlist of Yosys's form."""
    modules = json.loads(path.read_text())["modules"].values()
    top = next(module for module in modules if int(module["attributes"].get("top", "0"), 2))
    yield from top["cells"].items()


def _tile(name: str, cell: JsonObject) -> Tile:
    bel = cell["attributes"].get(BEL, "")
    place = _TILE.match(bel)
    if place is None:
        raise ValueError(f"{name}: {BEL} must be a tile and a place in it, not {bel!r}")
    return int(place[1]), int(place[2])
