"""Routing by a table: read from a file or generated, checked, followed and exported."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ConfigurationError
from ..files import AnyPath, as_path, columns_text, read_columns, sha256
from ..parameters import FromFile, parameter
from ..topology import Topology
from ..wording import parse_index, plural
from .base import Routing
from .compiled.compilable import compilable
from .compiled.rule_check import TABLE_LIMIT, RuleUse
from .compiled.tables import CLASSES, UNREACHED
from .options import RoutingOptions
from .rules import Rule

COLUMNS = ("router", "destination", "port", "vc")
"""Columns that every file has, in any order."""

OPTIONAL = ("input", "input_vc")
"""Columns that a file may have: input port and virtual channel; an empty field stands for any."""


@dataclass(frozen=True, eq=False)
class RouteFile:
    """Rows of a routing table, in any order, as text: a topology resolves what they name.

    Members
    -------
    columns : mapping
        Fields of all rows by column: `COLUMNS` and `OPTIONAL`.
    name : str
        Name of the file, or empty.
    lines : sequence of int
        Line of each row in the file, or its place among the rows.
    """

    columns: Mapping[str, Sequence[str]]
    name: str
    lines: Sequence[int]

    @classmethod
    def read(cls, path: AnyPath) -> Self:
        """Table in a CSV file with the columns router, destination, port and vc.

        Raises
        ------
        ConfigurationError
            A file that cannot be read, or that has other columns; names the line.
        """
        path = as_path(path, "a CSV file")
        lines, columns = read_columns(path, COLUMNS, OPTIONAL)
        stripped = {name: [field.strip() for field in column] for name, column in columns.items()}
        return cls(stripped, path.name, lines)

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON values."""
        columns = {name: list(column) for name, column in self.columns.items()}
        return {"columns": columns, "name": self.name, "lines": list(self.lines)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Table from what `to_dict` gave."""
        return cls(data["columns"], data["name"], data["lines"])

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Self:
        """Table of what a program gives.

        Parameters
        ----------
        rows : iterable
            Rows (router, destination, port, vc) or (router, destination, port, vc, input,
            input_vc): indices, labels, names of ports.

        Raises
        ------
        ConfigurationError
            What is no row; names its place, counted from 0.
        """
        columns: dict[str, list[str]] = {name: [] for name in (*COLUMNS, *OPTIONAL)}
        for place, row in enumerate(rows):
            fields = [] if isinstance(row, str) or not hasattr(row, "__iter__") else list(row)
            if len(fields) not in (len(COLUMNS), len(columns)):
                raise ConfigurationError(
                    f"table_file: row {place} must be ({', '.join(COLUMNS)}), and may end with "
                    f"{', '.join(OPTIONAL)}, not {row!r}"
                )
            fields += [""] * (len(columns) - len(fields))
            for column, field in zip(columns.values(), fields, strict=True):
                column.append("" if field is None else str(field).strip())
        return cls(columns, "", range(len(columns["router"])))

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        return f"{self.name or f'{len(self)} rows'} (sha256 {self.digest[:12]})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the rows."""
        return sha256(self.text().encode())

    def text(self) -> str:
        """CSV file of the rows, without optional columns that are empty."""
        filled = {name: column for name, column in self.columns.items() if any(column)}
        return columns_text({name: self.columns[name] for name in COLUMNS} | filled)

    @property
    def owner(self) -> str:
        """Beginning of an error about the table."""
        return self.name or "table_file"

    def where(self, place: int) -> str:
        """Beginning of an error about a row: its line in the file, or its place among the rows."""
        return f"{self.owner}: {'line' if self.name else 'row'} {self.lines[place]}"


ANY = -1
"""Number in place of an empty field that may be empty."""


class _Names:
    """What a column's fields can be.

    Parameters
    ----------
    count : int
        Indices 0..count - 1.
    rule : str
        What a field must be, in words.
    words : mapping
        Number of each word beside the indices.
    """

    def __init__(self, count: int, rule: str, words: Mapping[str, int]) -> None:
        self._count = count
        self.rule = rule
        self._words = words

    def number(self, field: str) -> int | None:
        """Number that a field names; None where it names none."""
        if field in self._words:
            return self._words[field]
        return parse_index(field, self._count)


def row_numbers(file: RouteFile, topology: Topology) -> dict[str, np.ndarray]:
    """Columns of a file as numbers, int64.

    Raises
    ------
    ConfigurationError
        A field that names nothing; names the line.
    """
    nodes = _labelled(topology.nodes, [topology.label(node) for node in range(topology.nodes)])
    names = [topology.router_label(router) for router in range(topology.routers)]
    ports = topology.ports
    rule = f"one of {', '.join(ports)} or an index in 0..{len(ports) - 1}"
    words = {port: index for index, port in enumerate(ports)}
    vcs = f"an integer in 0..{CLASSES - 1}"
    kinds = {
        "router": _labelled(topology.routers, names),
        "destination": nodes,
        "port": _Names(len(ports), rule, words),
        "vc": _Names(CLASSES, vcs, {}),
        "input": _Names(len(ports), f"{rule}, or empty", words | {"": ANY}),
        "input_vc": _Names(CLASSES, f"{vcs}, or empty", {"": ANY}),
    }
    return {name: _column(file, name, kind) for name, kind in kinds.items()}


def _labelled(count: int, labels: list[str]) -> _Names:
    rule = f"an index in 0..{count - 1} or a label @{labels[0]}..@{labels[-1]}"
    return _Names(count, rule, {f"@{label}": index for index, label in enumerate(labels)})


def _column(file: RouteFile, name: str, kind: _Names) -> np.ndarray:
    known: dict[str, int] = {}  # fields repeat
    for place, field in enumerate(file.columns[name]):
        if field not in known:
            number = kind.number(field)
            if number is None:
                raise ConfigurationError(
                    f"{file.where(place)}: {name} must be {kind.rule}, not {field!r}"
                )
            known[field] = number
    return np.array([known[field] for field in file.columns[name]], np.int64)


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


_HEAD = 4  # parameters before the entries
_LANES = 4  # entries of 16 bits in a parameter


@compilable
def by_table(parameters, router, port, channel_class, destination):
    """Entry of the router's table; port -1 where there is none."""
    ports, classes, nodes, last_class = parameters[0], parameters[1], parameters[2], parameters[3]
    row = router * ports + (port if ports > 1 else 0)
    row = row * classes + (channel_class if classes > 1 else 0)
    place = row * nodes + destination
    entry = parameters[_HEAD + place // _LANES] >> (place % _LANES * 16) & 65535
    if entry == 65535:
        return -1, 0
    return entry // CLASSES, min(entry % CLASSES, last_class)


class TableRouting(Routing):
    """By a table: the output port and virtual channel for each destination.

    Members
    -------
    table : BoundTable
        Entries of all routers, those to their own nodes included.
    """

    is_adaptable: ClassVar[bool] = False

    @property
    @abstractmethod
    def table(self) -> BoundTable:
        """Table, generated or read once."""

    def needed_virtual_channels(self) -> int:
        """Classes that the table names."""
        return self.table.classes

    @property
    def rule(self) -> Rule:
        """See `by_table`."""
        return by_table

    @cached_property
    def parameters(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Inputs and classes of the table, nodes, the last class; the entries, four a number."""
        entries = self.table.entries
        cells = np.full(-(-entries.size // _LANES) * _LANES, -1, "<i2")
        cells[: entries.size] = entries.ravel()
        head = np.array([*entries.shape[1:], self.classes - 1], np.int64)
        return np.concatenate([head, cells.view("<i8").astype(np.int64, copy=False)])


class _TableUse(RuleUse):
    """Rule that looks up a table, as its check reads it."""

    def refusal(self, row: tuple[int, int, int, int], what: str) -> ConfigurationError:
        """Error that names the row that is missing, if one is."""
        output, _ = self.rule(self.parameters, *row)
        if output >= 0:
            return super().refusal(row, what)
        router, port, vc, destination = row
        return ConfigurationError(
            f"{self.owner}: a row must say where router {router} "
            f"(@{self.topology.router_label(router)}) sends packets to {destination} "
            f"(@{self.topology.label(destination)}) that come by input "
            f"{self.topology.ports[port]}, input_vc {vc}, not be missing"
        )


@dataclass(frozen=True, kw_only=True)
class TableOptions(RoutingOptions):
    """Keys of a routing by a table.

    Parameters
    ----------
    table_file : RouteFile
        Rows of the table, or a CSV file of them.
    """

    table_file: RouteFile = parameter(  # noqa: RUF009 - as every field
        FromFile("a CSV file with the columns router,destination,port,vc", RouteFile),
        help="routing table: where each router sends packets to each node",
    )


class Table(TableRouting):
    """By a table from a file: the output port and virtual channel for each destination.

    The classes are the virtual channels that the file names. The rule is the user's, so it is
    checked before anything follows it.
    """

    name: ClassVar[str] = "table"
    options_class: ClassVar[type[RoutingOptions]] = TableOptions
    options: TableOptions

    def __init__(self, *arguments: Any, **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        self.is_trusted = False

    @cached_property
    def table(self) -> BoundTable:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Rows of the file, bound to the network."""
        return bind_table(self.options.table_file, self.topology)

    @property
    def rule_use(self) -> RuleUse:
        """Rule whose errors name the rows that are missing."""
        use = super().rule_use
        return _TableUse(**use._asdict())


Row = tuple[int, int, str, int, str, str]


def export_table(routing: Routing) -> RouteFile:
    """Table of a routing's rule; a row names its input only where the rule depends on that.

    A routing without a rule may have rows to give in its place (`Routing.table_rows`).

    Raises
    ------
    ConfigurationError
        The routing has no rule, or one that no table can express.
    """
    rows = routing.table_rows()
    if rows is not None:
        ports = routing.topology.ports
        return RouteFile.of((router, node, ports[port], vc) for router, node, port, vc in rows)
    _require_table(routing)
    return RouteFile.of(_rows(routing))


def _require_table(routing: Routing) -> None:
    topology = routing.topology
    owner = f"{topology.name}: routing={routing.name} must"
    end = "to be written as a table"
    if routing.settled is not None or not topology.is_direct:
        raise ConfigurationError(f"{owner} have a rule by destination {end}, not none")
    if routing.draws > 1:
        raise ConfigurationError(
            f"{owner} give all packets of two nodes one path {end}, not {routing.draws}"
        )
    if routing.escape_class is not None:
        raise ConfigurationError(
            f"{owner} give each packet one path {end}, not an escape class as well"
        )
    if tuple(routing.injection_classes) != (0,):
        raise ConfigurationError(
            f"{owner} inject packets in class 0 {end}, not in "
            f"{', '.join(map(str, routing.injection_classes))}"
        )
    states = routing.rule_use.states
    if states > TABLE_LIMIT:
        raise ConfigurationError(
            f"{owner} have at most {TABLE_LIMIT} states (router, input port, class, destination) "
            f"{end}, not {states}"
        )


def _rows(routing: Routing) -> Iterator[Row]:
    ports = routing.topology.ports
    answers = routing.answer_table
    homes = routing.topology.node_ports_table[0].tolist()
    for router in range(routing.topology.routers):
        for destination in range(routing.topology.nodes):
            if router == homes[destination]:
                continue
            for into, into_vc, entry in _cases(answers[router, :, :, destination]):
                port, vc = divmod(entry, CLASSES)
                named = "" if into is None else ports[into], "" if into_vc is None else str(into_vc)
                yield router, destination, ports[port], vc, *named


def _cases(entries: np.ndarray) -> Iterator[tuple[int | None, int | None, int]]:
    """Input port, class and entry; None where that does not matter.

    Parameters
    ----------
    entries : ndarray
        Entries by input port and class.
    """
    for by_port, by_vc in ((False, False), (False, True), (True, False), (True, True)):
        found: dict[tuple[int | None, int | None], set[int]] = {}
        for port, vc in np.argwhere(entries != UNREACHED).tolist():
            key = port if by_port else None, vc if by_vc else None
            found.setdefault(key, set()).add(int(entries[port, vc]))
        if all(len(cases) == 1 for cases in found.values()):
            for (port, vc), cases in sorted(found.items(), key=lambda case: str(case[0])):
                yield port, vc, cases.pop()
            return
