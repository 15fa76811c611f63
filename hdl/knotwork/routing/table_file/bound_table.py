"""Rows of a routing table bound to a topology: numbers in place of names, and none missing."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ...wording import plural
from ..compiled.tables import CLASSES, UNREACHED
from .route_file import RouteFile
from .row_names import ANY, row_numbers

CELL_LIMIT = 2**28
"""Most cells of a table: routers x destinations, and x inputs where rows name them."""


class BoundTable(NamedTuple):
    """Table of a topology's routers.

    Members
    -------
    entries : ndarray
        ``8 * output port + class``, `UNREACHED` where no row says; int16 of shape (routers, ports,
        classes, nodes). Where no row names an input, there is one port; and one class where no row
        names that.
    classes : int
        Classes that the rows name.
    """

    entries: np.ndarray
    classes: int

    @property
    def depends_on_input(self) -> bool:
        """Whether a row names an input port or virtual channel."""
        return self.entries.shape[1] * self.entries.shape[2] > 1


def bind_table(file: RouteFile, topology: Topology) -> BoundTable:
    """Table of the rows of a file.

    Raises
    ------
    ConfigurationError
        A row that names no router, node, port or class, that says what another one says, or that
        sends a packet where there is no link; names the line. Also a pair of router and destination
        without a row.
    """
    rows = row_numbers(file, topology)
    _require_links(file, topology, rows)
    _require_distinct(file, rows)
    ports, classes = len(topology.ports), 1 + max(int(rows[name].max(initial=0)) for name in _VC)
    has_input, has_vc = (bool((rows[name] != ANY).any()) for name in ("input", "input_vc"))
    shape = (topology.routers, ports if has_input else 1, classes if has_vc else 1, topology.nodes)
    if np.prod(shape, dtype=np.int64) > CELL_LIMIT:
        raise ConfigurationError(
            f"{file.owner}: routers x inputs x destinations must be at most {CELL_LIMIT} in a "
            f"table, not {' x '.join(map(str, shape))}"
        )
    entries = _filled(shape, rows)
    add_ejections(entries, topology)
    if not (has_input or has_vc):
        _require_all(file, topology, entries[:, 0, 0, :])
    return BoundTable(entries, classes)


def add_ejections(entries: np.ndarray, topology: Topology) -> None:
    """Set the entries by which packets leave the network at their nodes."""
    routers, ports = topology.node_ports_table
    entries[routers, :, :, np.arange(topology.nodes)] = (ports * CLASSES)[:, None, None]


_VC = ("vc", "input_vc")


def _filled(shape: tuple[int, ...], rows: dict[str, np.ndarray]) -> np.ndarray:
    """Entries of all rows; those that name more of their input replace those that name less."""
    entries = np.full(shape, UNREACHED, np.int16)
    answers = (rows["port"] * CLASSES + rows["vc"]).astype(np.int16)
    named = [rows["input"] != ANY, rows["input_vc"] != ANY]
    every = slice(None)
    for with_input, with_vc in ((False, False), (False, True), (True, False), (True, True)):
        matching = (named[0] == with_input) & (named[1] == with_vc)
        into = rows["input"][matching] if with_input else every
        into_vc = rows["input_vc"][matching] if with_vc else every
        place = rows["router"][matching], into, into_vc, rows["destination"][matching]
        missing = 2 - with_input - with_vc
        entries[place] = answers[matching].reshape(-1, *[1] * missing)
    return entries


def _require_links(file: RouteFile, topology: Topology, rows: dict[str, np.ndarray]) -> None:
    """Refuse ports without a link, and packets that stay at a router that is not their own."""
    router, port, destination = rows["router"], rows["port"], rows["destination"]
    home, home_port = topology.node_ports_table[:, destination]
    stays, ends = topology.is_local(port), router == home
    for faults, rule in (
        (stays & ~ends, "lead on to router {home}"),
        (ends & (port != home_port), "be {local}, to the router's own node"),
        (
            ~stays & ~ends & (topology.neighbours[router, port] < 0),
            "have a link at router {router}",
        ),
    ):
        if faults.any():
            place = int(np.argmax(faults))
            names = {"home": int(home[place]), "local": topology.ports[int(home_port[place])]}
            names["router"] = int(router[place])
            raise ConfigurationError(
                f"{file.where(place)}: port must {rule.format(**names)}, not "
                f"{file.columns['port'][place]!r}"
            )


def _require_distinct(file: RouteFile, rows: dict[str, np.ndarray]) -> None:
    """Refuse a second row for the same router, destination and input."""
    keys = np.stack([rows[name] for name in ("router", "destination", "input", "input_vc")], axis=1)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[which.reshape(-1)] != np.arange(len(keys)))
    if len(again):
        place = int(again[0])
        before = file.where(int(first[which.reshape(-1)[place]])).rpartition(": ")[2]
        ends = ", ".join(
            f"{name} {file.columns[name][place]}" for name in ("router", "destination")
        )
        raise ConfigurationError(
            f"{file.where(place)}: {ends} must be named once, not as in {before} too"
        )


def _require_all(file: RouteFile, topology: Topology, entries: np.ndarray) -> None:
    """Refuse a table without a row for a pair of router and destination."""
    missing = entries == UNREACHED
    missing[topology.node_ports_table[0], np.arange(topology.nodes)] = False
    if missing.any():
        router, destination = np.unravel_index(int(np.argmax(missing)), missing.shape)
        label, count = topology.router_label(int(router)), int(missing.sum())
        raise ConfigurationError(
            f"{file.owner}: a row must say where router {router} (@{label}) sends packets to "
            f"{destination} (@{topology.label(int(destination))}), not be missing; "
            f"{plural(count, 'pair')} without a row"
        )
