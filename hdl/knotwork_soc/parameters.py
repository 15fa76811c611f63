"""Keys of systems: of nodes, buses and the address map, and how users write them."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from knotwork.errors import ConfigurationError
from knotwork.parameters import YES_NO, Choice, Integer, Parameters, parameter
from knotwork.wording import not_one_of, parse_integer

BUS_TITLES = {"axi4": "AXI4", "axi_lite": "AXI4-Lite", "wishbone": "Wishbone", "apb": "APB"}
"""Names of the memory-mapped buses, for people, by the value of a node's key `bus`."""

BUS_DATA_WIDTHS = {
    "axi4": (8, 16, 32, 64, 128, 256, 512, 1024),
    "axi_lite": (32, 64),
    "wishbone": (8, 16, 32, 64),
    "apb": (8, 16, 32),
}
"""Bits of data that the standard of each bus has."""


@dataclass(frozen=True, kw_only=True)
class BusParameters(Parameters):
    """Widths and limits that all memory-mapped nodes of a system share.

    Parameters
    ----------
    address_width : int
        Bits of an address, 12..64; addresses are of bytes.
    data_width : int
        Bits of a beat's data, 8..1024, a power of two.
    id_width : int
        Bits of an initiator's transaction identifiers, 1..8.
    burst : int
        Longest burst in beats, 1..256; a longer one is answered with an error.
    outstanding : int
        Transactions of each direction, reads and writes, that may be under way at a node, 1..64.
    timeout : int
        Cycles of the network's clock after which a target that does not answer is answered for,
        16..65535.
    """

    name: ClassVar[str] = "bus"

    address_width: int = parameter(Integer(12, 64), help="bits of a byte address", default=32)
    data_width: int = parameter(Integer(8, 1024), help="data bits per beat", default=32)
    id_width: int = parameter(Integer(1, 8), help="bits of a transaction ID", default=4)
    burst: int = parameter(Integer(1, 256), help="beats of the longest burst", default=256)
    outstanding: int = parameter(
        Integer(1, 64), help="outstanding reads, and outstanding writes, per node", default=8
    )
    timeout: int = parameter(
        Integer(16, 65535),
        help="cycles after which a target that does not answer counts as failed",
        default=1024,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.data_width & self.data_width - 1:
            raise ConfigurationError(
                f"bus: data_width must be a power of two, not {self.data_width}"
            )

    @property
    def data_bytes(self) -> int:
        """Bytes of a beat."""
        return self.data_width // 8

    @property
    def beat_widths(self) -> dict[str, int]:
        """Bits of a beat in a packet: of a write with its strobes, of a read with its outcome."""
        return {"write": self.data_width + self.data_bytes, "read": self.data_width + 2}


def require_data_width(name: str, bus: BusParameters) -> None:
    """Refuse a width of data that the standard of a bus does not have.

    Parameters
    ----------
    name : str
        Value of a node's key `bus`: ``axi4``, ``axi_lite``, ``wishbone`` or ``apb``.
    bus : BusParameters
        Widths and limits.

    Raises
    ------
    ConfigurationError
        Its widths, and the one asked for.
    """
    if bus.data_width not in BUS_DATA_WIDTHS[name]:
        *others, last = BUS_DATA_WIDTHS[name]
        widths = f"{', '.join(map(str, others))} or {last}"
        raise ConfigurationError(
            f"bus: data_width must be {widths} for {BUS_TITLES[name]}, not {bus.data_width}"
        )


MEMORY_MAPPED = ("axi4", "axi_lite", "wishbone", "apb")
"""Buses that read and write addresses."""


@dataclass(frozen=True, kw_only=True)
class NodeParameters(Parameters):
    """What stands between a node's ports and the network; None for what all nodes have.

    Parameters
    ----------
    width : int or None
        Bits of a stream's ``tdata``, 8..1024; it divides the network's `data_width`, or is a
        multiple of it, which is the default.
    clock : str or None
        ``network``, the default; ``own`` for a clock of the node's own, of any frequency; or, of a
        stream, ``mesochronous`` for one of the network's frequency and of any phase.
    bus : str or None
        ``stream``, the default; ``axi4``, ``axi_lite``, ``wishbone`` or ``apb``; or ``none`` for a
        node that nothing is at.
    side : str or None
        Of a memory-mapped bus: ``initiator`` where the user's manager is, ``target`` where the
        user's memory is.
    """

    name: ClassVar[str] = "node"

    width: int | None = parameter(
        Integer(8, 1024), help="bits of a stream's tdata (default: data_width)", default=None
    )
    clock: str | None = parameter(
        Choice(("network", "own", "mesochronous")),
        help="clock of the node's ports (default: the network's)",
        default=None,
    )
    bus: str | None = parameter(
        Choice(("stream", *MEMORY_MAPPED, "none")),
        help="protocol of the node's ports (default: stream)",
        default=None,
    )
    side: str | None = parameter(
        Choice(("initiator", "target")),
        help="role of what is connected to a memory-mapped bus",
        default=None,
    )

    def over(self, other: "NodeParameters") -> Self:
        """These keys, and those of another where these have none."""
        own = {key: value for key, value in vars(self).items() if value is not None}
        return dataclasses.replace(self, **{**vars(other), **own})


@dataclass(frozen=True, kw_only=True)
class Node:
    """What stands between a node's ports and the network, resolved.

    Members
    -------
    index : int
        Number of the node.
    bus, side : str
        As of `NodeParameters`; `side` is empty but at memory-mapped buses.
    clock : str
        As of `NodeParameters`; ``network`` of a node that nothing is at.
    width : int
        Bits of a stream's ``tdata``; 0 where there is no stream.
    """

    index: int
    bus: str
    side: str
    clock: str
    width: int

    @property
    def has_own_clock(self) -> bool:
        """Whether it has a clock port of its own."""
        return self.clock != "network"

    @property
    def is_mesochronous(self) -> bool:
        """Whether that clock has the network's frequency."""
        return self.clock == "mesochronous"

    @property
    def is_stream(self) -> bool:
        """Whether its ports are streams."""
        return self.width > 0

    @property
    def is_initiator(self) -> bool:
        """Whether the user's manager is there."""
        return self.side == "initiator"

    @property
    def is_target(self) -> bool:
        """Whether the user's memory is there."""
        return self.side == "target"


def resolved_node(index: int, own: NodeParameters, of_all: NodeParameters, data_width: int) -> Node:
    """Node from its own keys and those of all nodes.

    Raises
    ------
    ConfigurationError
        Keys that do not go together.
    """
    keys = own.over(of_all)
    bus = keys.bus or "stream"
    name = f"node {index}"
    if bus in MEMORY_MAPPED:
        if own.width is not None:
            raise ConfigurationError(
                f"{name}: width must be used with bus=stream, not bus={bus}, whose data_width is "
                "the bus's"
            )
        if keys.side is None:
            raise ConfigurationError(
                f"{name}: side must be given, one of initiator, target, with bus={bus}"
            )
        if keys.clock == "mesochronous":
            raise ConfigurationError(
                f"{name}: clock=mesochronous must be used with bus=stream, not bus={bus}"
            )
    elif own.side is not None:
        raise ConfigurationError(
            f"{name}: side must be used with a memory-mapped bus, not bus={bus}"
        )
    width = keys.width or data_width
    if bus == "stream" and width % data_width and data_width % width:
        raise ConfigurationError(
            f"{name}: width must divide the network's data_width of {data_width}, or be a "
            f"multiple of it, not {width}"
        )
    if bus == "none" and own.width is not None:
        raise ConfigurationError(f"{name}: width must be used with bus=stream, not bus=none")
    if bus == "none" and own.clock is not None:
        raise ConfigurationError(
            f"{name}: clock must be used with a node that has ports, not bus=none"
        )
    return Node(
        index=index,
        bus=bus,
        side=keys.side or "" if bus in MEMORY_MAPPED else "",
        clock=(keys.clock or "network") if bus != "none" else "network",
        width=width if bus == "stream" else 0,
    )


SMALLEST = 4096
"""Bytes of the smallest region: no AXI4 burst crosses such a boundary."""

_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]{1,17}")
_MULTIPLES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Bytes(Integer):
    """Number of bytes, or a byte's address: ``4096``, ``0x1000``, ``4K``."""

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range and forms in words."""
        return f"an integer in {self.low}..{self.high:#x}, as 4096, 0x1000 or 4K"

    def parse(self, text: str) -> int:
        """Number in decimal or hexadecimal, or of KiB, MiB, GiB or TiB."""
        factor = _MULTIPLES.get(text[-1:].upper(), 1)
        number = text[: -1 if factor > 1 else None]
        if _HEXADECIMAL.fullmatch(number):
            return int(number, 16) * factor
        return parse_integer(number) * factor


@dataclass(frozen=True, kw_only=True)
class Region(Parameters):
    """Addresses that are at one node.

    A target sees the whole address. A region has 2^n bytes and begins at a multiple of its size, so
    that a few bits of an address tell its region; a node may have several.

    Parameters
    ----------
    base : int
        First address, of a byte.
    size : int
        Bytes: a power of two, 4 KiB or more.
    node : int
        Index of the node.
    """

    name: ClassVar[str] = "map"

    base: int = parameter(Bytes(0, (1 << 64) - 1), help="first address of the region")
    size: int = parameter(Bytes(SMALLEST, 1 << 64), help="size in bytes, a power of two")
    node: int = parameter(Integer(0, (1 << 31) - 1), help="index of the node")

    @property
    def end(self) -> int:
        """Address behind the last one."""
        return self.base + self.size

    def __str__(self) -> str:
        return f"{self.base:#x}..{self.end - 1:#x}"


def checked_map(
    regions: Mapping[str, Region], bus: BusParameters, nodes: Sequence[Node]
) -> dict[str, Region]:
    """Regions by their base.

    Raises
    ------
    ConfigurationError
        A region that is not aligned, that overlaps another, that the addresses do not reach, or
        that is not at a target; a target without a region; initiators without targets, or targets
        without initiators.
    """
    before = None
    by_base = dict(sorted(regions.items(), key=lambda item: (item[1].base, item[0])))
    for name, region in by_base.items():
        _check(name, region, bus, nodes)
        if before is not None and region.base < by_base[before].end:
            raise ConfigurationError(
                f"map.{name}: a region must not overlap another, not {region} beside map.{before} "
                f"{by_base[before]}"
            )
        before = name
    twice = [name for name in by_base if [each.upper() for each in by_base].count(name.upper()) > 1]
    if twice:
        raise ConfigurationError(
            f"map.{twice[1]}: a region's name must differ from any other by more than case, not "
            f"{twice[1]!r} beside {twice[0]!r}"
        )
    served = {region.node for region in by_base.values()}
    targets = [node.index for node in nodes if node.is_target]
    for target in targets:
        if target not in served:
            raise ConfigurationError(
                f"node {target}: a target must have a region, as map.NAME.node={target}, not none"
            )
    initiators = [node.index for node in nodes if node.is_initiator]
    for there, role, missing in (
        (initiators, "target", targets),
        (targets, "initiator", initiators),
    ):
        if there and not missing:
            one = "an initiator" if role == "target" else "a target"
            raise ConfigurationError(
                f"node {there[0]}: {one} must have at least one {role} in the system, not none"
            )
    return by_base


def _check(name: str, region: Region, bus: BusParameters, nodes: Sequence[Node]) -> None:
    """Refuse a region that no decoder or no node can have."""
    owner = f"map.{name}"
    if region.size & region.size - 1:
        raise ConfigurationError(f"{owner}: size must be a power of two, not {region.size:#x}")
    if region.base % region.size:
        raise ConfigurationError(
            f"{owner}: base must be a multiple of its size {region.size:#x}, not {region.base:#x}"
        )
    if region.end > 1 << bus.address_width:
        raise ConfigurationError(
            f"{owner}: a region must end within bus.address_width={bus.address_width}, not {region}"
        )
    if region.node >= len(nodes):
        raise ConfigurationError(
            f"{owner}: node must be an index in 0..{len(nodes) - 1}, not {region.node}"
        )
    if not nodes[region.node].is_target:
        raise ConfigurationError(
            f"{owner}: node must be a target (node.{region.node}.side=target), not {region.node}"
        )


@dataclass(frozen=True, kw_only=True)
class SystemParameters(Parameters):
    """What all nodes of a system share.

    Parameters
    ----------
    keep : bool
        Give streams ``tkeep``: packets of any number of bytes.
    user_width : int
        Bits of ``tuser`` that a packet carries from its sender to its receiver, 0..256.
    reset : str
        ``high``: the port ``rst`` is active high; ``low``: ``rst_n`` is active low.
    reset_style : str
        ``synchronous`` to each port's clock; or ``asynchronous``: a reset begins at any time,
        however short, also while the clock stands still, and ends at edges of the clock.
    """

    name: ClassVar[str] = "system"

    keep: bool = parameter(YES_NO, help="streams have tkeep", default=False)
    user_width: int = parameter(Integer(0, 256), help="bits of tuser per packet", default=0)
    reset: str = parameter(Choice(("high", "low")), help="active level of resets", default="high")
    reset_style: str = parameter(
        Choice(("synchronous", "asynchronous")),
        help="whether resets are synchronous to the clock",
        default="synchronous",
    )

    @property
    def is_reset_asynchronous(self) -> bool:
        """Whether resets begin at any time."""
        return self.reset_style == "asynchronous"

    @property
    def is_reset_low(self) -> bool:
        """Whether resets are active low."""
        return self.reset == "low"


TABLES = ("node", "bus", "map")
"""Heads of dotted keys, and names of tables."""


class SystemKeys(NamedTuple):
    """Keys of a system and of its network, apart.

    Members
    -------
    network : dict
        Texts of the network's keys.
    system : dict
        Arguments of `System`.
    """

    network: dict[str, object]
    system: dict[str, Any]


def part_keys(name: str, texts: Mapping[str, object]) -> SystemKeys:
    """Keys of a system and of its network from ``{key: text}``, dotted or in tables.

    Parameters
    ----------
    name : str
        Name of the network's topology.
    texts : mapping of str to object
        As `network_words` reads them.

    Raises
    ------
    ConfigurationError
        An unknown table, or a value that breaks its rule.
    """
    network: dict[str, object] = {}
    tables: dict[str, dict[str, object]] = {}
    own = SystemParameters.keys()
    system: dict[str, object] = {}
    for key, text in _flat(texts).items():
        head, dot, rest = key.partition(".")
        if key in own:
            system[key] = text
        elif not dot and head not in TABLES:
            network[key] = text
        elif head not in TABLES:
            raise ConfigurationError(not_one_of(f"{name}: a table of keys", TABLES, head))
        elif rest:
            tables.setdefault(head, {})[rest] = text
        elif text != {}:
            raise ConfigurationError(
                f"{name}: {head} must have a key behind a dot, as {_EXAMPLES[head]}, not {text!r}"
            )
    nodes = _sorted_nodes(tables.get("node", {}))
    given: dict[str, Any] = dict(system)
    given["node"] = _read(NodeParameters, "node", nodes.pop("", {}))
    given["nodes"] = {
        int(index): _read(NodeParameters, f"node {index}", keys) for index, keys in nodes.items()
    }
    given["bus"] = _read(BusParameters, "bus", tables.get("bus", {}))
    given["map"] = {
        region: _read(Region, f"map.{region}", keys)
        for region, keys in _sorted_regions(tables.get("map", {})).items()
    }
    return SystemKeys(network, given)


SYSTEM_KEYS = (*SystemParameters.keys(), *(f"{head}.*" for head in TABLES))
"""Keys that a system has beside those of its network, as a line that refuses others names them."""

_EXAMPLES = {"node": "node.width=64", "bus": "bus.data_width=64", "map": "map.ram.base=0x0"}


def _flat(texts: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Dotted keys of nested tables; empty tables stay."""
    flat: dict[str, object] = {}
    for key, value in texts.items():
        if isinstance(value, dict) and value:
            flat |= _flat(value, f"{before}{key}.")
        else:
            flat[f"{before}{key}"] = value
    return flat


def _sorted_nodes(keys: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Keys by a node's index; those of all nodes under an empty one."""
    nodes: dict[str, dict[str, object]] = {}
    for key, text in keys.items():
        index, dot, rest = key.partition(".")
        if not dot and (text != {} or not index.isdecimal()):
            nodes.setdefault("", {})[key] = text
        elif not re.fullmatch(r"[0-9]{1,9}", index, re.ASCII):
            raise ConfigurationError(
                f"node: a node must be an index, as node.3.{rest}, not {index!r}"
            )
        elif rest:
            nodes.setdefault(str(int(index)), {})[rest] = text
    return nodes


def _sorted_regions(keys: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Keys by a region's name."""
    regions: dict[str, dict[str, object]] = {}
    for key, text in keys.items():
        name, dot, rest = key.partition(".")
        if not dot or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,127}", name):
            raise ConfigurationError(
                "map: a region must have a name of at most 128 letters, digits and _, and a key, "
                f"as map.ram.base=0x0, not map.{key}"
            )
        regions.setdefault(name, {})[rest] = text
    return regions


def _read(kind: Any, owner: str, texts: dict[str, object]) -> Any:
    """Parameters of texts; errors name the owner."""
    try:
        return kind.from_texts(texts)
    except ConfigurationError as error:
        message = str(error).replace(f"{kind.name}:", f"{owner}:", 1)
        raise ConfigurationError(message) from None
