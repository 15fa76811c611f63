"""Table of the options of packet routers: what each adds, and what it cannot be combined with.

An option is a part of the credit router that knows nothing of the other options. Two options
exclude each other only for a reason that lies in what they are, never because nobody built the
combination. The refusals, the defaults, ``networks NAME``, the page on options and the tests of all
combinations follow `OPTIONS`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import ConfigurationError
from .kinds import YES_NO


def _is_more(value: str) -> bool:
    return value not in ("no", "0", "1")


def _depends(value: str) -> bool:
    """Never: what of it is the option depends on the network, whose parts refuse it themselves."""
    del value
    return False


@dataclass(frozen=True, kw_only=True)
class Option:
    """Option of packet routers, chosen by the value of a key.

    Members
    -------
    name : str
        What it is called.
    key : str
        Key that chooses it.
    example : str
        Words that choose it, for pages and tests.
    without : str
        Value of the key that does not choose it, as errors name it.
    adds : str
        What it adds to the hardware.
    needs : str
        What it needs; empty for nothing.
    is_plain : bool
        Whether plain routers, those of ``pipeline=1``, can have it.
    impossible_with : mapping of str to str
        Names of options with which it is impossible, and the reason as a clause. Each pair stands
        once, with the option that must go.
    is_chosen_by : callable
        Whether a value of the key, as text, chooses the option.
    """

    name: str
    key: str
    example: str
    without: str
    adds: str
    needs: str = ""
    is_plain: bool = False
    impossible_with: Mapping[str, str] = field(default_factory=dict[str, str])
    is_chosen_by: Callable[[str], bool] = _is_more


class Chosen(NamedTuple):
    """Option, and the value of its key that chooses it."""

    option: Option
    value: str

    @property
    def word(self) -> str:
        """Word as a user writes it: ``parity=yes``."""
        return f"{self.option.key}={self.value}"


DRAWING = ("valiant", "o1turn", "romm")
"""Routings by which the source of a packet draws its path."""

OPTIONS: tuple[Option, ...] = (
    Option(
        name="crossbar cycle",
        key="pipeline",
        example="pipeline=3",
        without="2",
        adds="a cycle per hop: registers before the crossbar",
        is_chosen_by=lambda value: value == "3",
    ),
    Option(
        name="lanes",
        key="virtual_channels",
        example="virtual_channels=2",
        without="1",
        adds="further copies of the virtual channels that the routing needs",
        needs="a multiple of what the routing needs, at most 8",
        is_chosen_by=_depends,
    ),
    Option(
        name="parity",
        key="parity",
        example="parity=yes",
        without="no",
        adds="parity bits on every flit, and a flag at the node for broken packets",
    ),
    Option(
        name="classes",
        key="classes",
        example="classes=2",
        without="1",
        adds="a stream per class at every node, virtual channels per class, priority or weights",
        needs="as many virtual channels as the routing needs for each class, at most 8",
    ),
    Option(
        name="several nodes",
        key="nodes_per_router",
        example="nodes_per_router=2",
        without="1",
        adds="a local port and a node interface per further node",
        is_plain=True,
    ),
    Option(
        name="long links",
        key="latency",
        example="graph file=floors.edges",
        without="1",
        adds="registers along a link, and deeper buffers behind it",
        needs="a graph file with latencies",
    ),
    Option(
        name="counters",
        key="counters",
        example="counters=yes",
        without="no",
        adds="counters of flits and waits of every channel, read over AXI4-Lite",
    ),
    Option(
        name="watchdog",
        key="watchdog",
        example="watchdog=100",
        without="0",
        adds="an alarm for channels that wait too long",
    ),
    Option(
        name="generated routing",
        key="routing",
        example="routing=updown",
        without="the network's own",
        adds="a table of routes in place of the rule's gates",
        needs="at most 4,096 routers",
        is_plain=True,
        is_chosen_by=lambda value: value not in {"", "adaptive", *DRAWING},
    ),
    Option(
        name="dead parts",
        key="dead",
        example="dead=0-1",
        without="unnamed",
        adds="nothing: links and routers are left out, and a generated routing goes around them",
        is_plain=True,
        is_chosen_by=bool,
    ),
    Option(
        name="loaded tables",
        key="tables",
        example="tables=loaded",
        without="fixed",
        adds="two banks of routes at every input, a port to load them, links declared dead",
        needs="addresses of at most 12 bits",
        is_chosen_by=lambda value: value == "loaded",
    ),
    Option(
        name="escapes",
        key="vc_scheme",
        example="routing=spr vc_scheme=escape",
        without="ascents",
        adds="a second turn beside each flit, by which a packet that waits can leave its way",
        needs="routing=spr of the Möbius cubes",
        impossible_with={
            "dead parts": "the escape paths need every link of the complete network",
            "loaded tables": "a table has one path to a node and no escape channel",
        },
        is_chosen_by=lambda value: value == "escape",
    ),
    Option(
        name="adaptive routing",
        key="routing",
        example="routing=adaptive",
        without="the network's own",
        adds="several ways beside each flit, of which a packet that waits requests the next",
        needs="a virtual channel more than the network's own routing, at most 1,024 routers",
        impossible_with={"loaded tables": "a table has one path to a node"},
        is_chosen_by=lambda value: value == "adaptive",
    ),
    Option(
        name="selection of ways",
        key="selection",
        example="routing=adaptive selection=credits",
        without="first",
        adds="a report of every output's channels that are open, or a generator per router",
        needs="routing=adaptive",
        is_chosen_by=lambda value: value not in {"", "first"},
    ),
    Option(
        name="drawn paths",
        key="routing",
        example="routing=valiant",
        without="the network's own",
        adds="a number that the source draws for each packet, in its header",
        needs="twice the virtual channels of the network's own routing",
        impossible_with={"loaded tables": "a table has one path to a node"},
        is_chosen_by=lambda value: value in DRAWING,
    ),
    Option(
        name="multicast",
        key="multicast",
        example="multicast=yes",
        without="no",
        adds="a unit at every node that relays packets to several others, a channel per round",
        needs="routing=ecube of the hypercube or dfr of the Möbius cubes",
        impossible_with={
            "generated routing": "relays are free of deadlock by the highest dimension first alone",
            "dead parts": "the relays need every link of the complete network",
            "loaded tables": "a table need not keep the order that relays need",
            "escapes": "a packet that escapes leaves the order that relays need",
            "adaptive routing": "a packet that chooses leaves the order that relays need",
            "drawn paths": "relays are free of deadlock by the highest dimension first alone",
        },
    ),
    Option(
        name="broadcast",
        key="broadcast",
        example="broadcast=label",
        without="no",
        adds="inputs that send a packet several ways at once",
        needs="the paper's routings of wk and tcpg, and buffer_depth of at least max_packet",
        impossible_with={
            "generated routing": "its branches follow the network's own routing",
            "adaptive routing": "its branches follow the network's own routing",
            "drawn paths": "its branches follow the network's own routing",
            "dead parts": "its branches need every link of the complete network",
            "loaded tables": "a copy has no destination that a table could look up",
        },
    ),
)
"""Options of packet routers."""


def impossible_pairs(options: Sequence[Option] = OPTIONS) -> list[tuple[Option, Option, str]]:
    """Pairs of options that exclude each other, and why: the one that must go first."""
    return [
        (one, other, one.impossible_with[other.name])
        for one in options
        for other in options
        if other.name in one.impossible_with
    ]


def chosen_options(keys: Mapping[str, object]) -> list[Chosen]:
    """Options that values of keys choose; the values may be texts, or what they stand for."""
    found = []
    for option in OPTIONS:
        value = keys.get(option.key)
        if value is not None:
            text = YES_NO.display(value) if isinstance(value, bool) else str(value)
            if option.is_chosen_by(text):
                found.append(Chosen(option, text))
    return found


def conflicts(keys: Mapping[str, object]) -> Iterator[tuple[Chosen, Chosen, str]]:
    """Pairs of chosen options that exclude each other, and why: the one that must go first."""
    chosen = {one.option.name: one for one in chosen_options(keys)}
    for one, other, reason in impossible_pairs([each.option for each in chosen.values()]):
        yield chosen[one.name], chosen[other.name], reason


def require_possible(keys: Mapping[str, object], *, owner: str) -> None:
    """Refuse options that exclude each other.

    Raises
    ------
    ConfigurationError
        Names both keys, and the reason.
    """
    for one, other, reason in conflicts(keys):
        raise ConfigurationError(
            f"{owner}: {one.option.key} must be {one.option.without} with {other.word}, because "
            f"{reason}, not {one.value}"
        )


def require_plain(keys: Mapping[str, object], *, owner: str) -> None:
    """Refuse options that plain routers do not have, where ``pipeline=1`` chooses these.

    Raises
    ------
    ConfigurationError
        Names the key of the option.
    """
    if str(keys.get("pipeline")) != "1":
        return
    for option, value in chosen_options(keys):
        if not option.is_plain:
            raise ConfigurationError(
                f"{owner}: {option.key} must be {option.without} with pipeline=1, whose routers "
                f"have no options, not {value}; pipeline=2 has them all"
            )


def require_single_channel(
    keys: Mapping[str, object], *, channels: int, routing: str, owner: str
) -> None:
    """Refuse several virtual channels, where ``pipeline=1`` chooses plain routers.

    Parameters
    ----------
    keys : mapping
        Values that the user gave.
    channels : int
        Virtual channels of the network.
    routing : str
        Name of the routing.
    owner : str
        What the line begins with.

    Raises
    ------
    ConfigurationError
        Names the key ``virtual_channels`` if the user gave it, else the routing that needs them.
    """
    if str(keys.get("pipeline")) != "1" or channels == 1:
        return
    if "virtual_channels" in keys:
        raise ConfigurationError(
            f"{owner}: virtual_channels must be 1 with pipeline=1, not {channels}; pipeline=2 has "
            f"more"
        )
    raise ConfigurationError(
        f"{owner}: pipeline must be 2 or 3 with routing={routing}, which needs {channels} virtual "
        f"channels, not 1"
    )


def possible_defaults(
    keys: Mapping[str, object], defaults: Mapping[str, object]
) -> dict[str, object]:
    """Values of unnamed keys whose default would choose an option that others exclude.

    Parameters
    ----------
    keys : mapping
        Values that the user gave.
    defaults : mapping
        Defaults of the keys of the network.
    """
    is_plain = str(keys.get("pipeline")) == "1"
    values: dict[str, object] = {}
    for option, _ in chosen_options(
        {key: value for key, value in defaults.items() if key not in keys}
    ):
        added = {**keys, option.key: defaults[option.key]}
        is_excluded = any(one.option is option for one, _, _ in conflicts(added))
        if is_excluded or (is_plain and not option.is_plain):
            values[option.key] = option.without
    return values
