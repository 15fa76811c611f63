"""Checks of topologies and routings that a user wrote: arrays, addresses and names must agree."""

import dataclasses
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import getattr_static
from typing import Any

import numpy as np

from ..errors import ConfigurationError, KnotworkError
from ..parameters import ROUTER_PARAMETERS
from ..parameters.kinds import Kind
from ..routing import Routing
from ..shipped import is_shipped
from ..topology import TOPOLOGIES, Topology
from ..topology.base import MOST_LATENCY


class MemberCheck:
    """Part of the check of one topology; subclasses check.

    Parameters
    ----------
    topology : Topology
        A user's.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology, self.name = topology, topology.name

    def refuse(self, what: str, rule: str, value: object) -> ConfigurationError:
        """Error's line: the thing, the rule, the value."""
        return ConfigurationError(f"{self.name}: {what} must {rule}, not {value}")

    def port_at(self, router: int, port: int) -> str:
        """Start of a line about a port."""
        return f"router {router}, port {self.topology.ports[port]}:"

    @contextmanager
    def computing(self, what: str) -> Iterator[None]:
        """Refuse a member that cannot be computed."""
        try:
            yield
        except (KnotworkError, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit too: it is the user's code
            fault = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
            raise self.refuse(what, "be computed", f"raise {fault}") from None

    def integer(self, what: str, get: Callable[[], Any], low: int, high: int) -> int:
        """Integer that a member gives, in a range."""
        with self.computing(what):
            value = get()
        try:
            number = operator.index(value)
        except TypeError:
            number = low - 1
        if not low <= number <= high or isinstance(value, bool):
            raise self.refuse(what, f"be an integer in {low}..{high}", abbreviate(value))
        return number


def declared_name(kind: type) -> object:
    """Name that a class gives itself or inherits; None without one."""
    return next((vars(each)["name"] for each in kind.__mro__ if "name" in vars(each)), None)


def find_duplicate(names: Sequence[str]) -> str | None:
    """First name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def abbreviate(value: object) -> str:
    """Value for an error's line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return type(value).__name__
    return text if len(text) <= 60 else type(value).__name__


WIDEST = 32
"""Most bits of an address."""
MOST_NODES = 1 << 20
"""Most nodes and routers."""
MOST_LOCAL = 64
"""Most nodes of a router."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""Names of networks, routings and ports."""

_LABEL = re.compile(r"[A-Za-z0-9_.]+")


class SizeCheck(MemberCheck):
    """Check of what the arrays have their shapes from."""

    def run(self) -> None:
        """Refuse the first contradiction."""
        self._sizes()

    def _sizes(self) -> None:
        topology = self.topology
        self.integer("nodes", lambda: topology.nodes, 1, MOST_NODES)
        self.integer("routers", lambda: topology.routers, 1, MOST_NODES)
        self.integer("address_width", lambda: topology.address_width, 1, WIDEST)
        with self.computing("ports"):
            ports = topology.ports
        if not isinstance(ports, tuple) or not all(isinstance(port, str) for port in ports):
            raise self.refuse("ports", "be a tuple of names", abbreviate(ports))
        count = self.integer("local_ports", lambda: topology.local_ports, 1, MOST_LOCAL)
        locals_ = ("local",) if count == 1 else tuple(f"local{port}" for port in range(count))
        if ports[:count] != locals_:
            first = ", ".join(map(repr, locals_))
            raise self.refuse("ports", f"begin with {first}", abbreviate(ports[:count]))
        for port in ports:
            if not NAME.fullmatch(port):
                raise self.refuse("a port's name", "be letters, digits and _", repr(port))
        if double := find_duplicate(ports):
            raise self.refuse("a port's name", "be unique", f"{double!r} twice")


class NameCheck(MemberCheck):
    """Check of nodes, addresses and labels; the links are right."""

    def run(self) -> None:
        """Refuse the first contradiction."""
        self._nodes()
        self._addresses()
        self._labels()

    def _nodes(self) -> None:
        """Every node must have a router, and a port of its own there."""
        topology = self.topology
        attached, last = topology.attached, topology.routers - 1
        behind = (topology.neighbours >= 0) & (attached >= 0)
        if behind.any():
            router, port = (int(first) for first in np.argwhere(behind)[0])
            what = f"{self.port_at(router, port)} attached"
            raise self.refuse(what, "be -1 where a link is", attached[router, port])
        count = np.bincount(attached[attached >= 0], minlength=topology.nodes)
        for node in range(topology.nodes):
            what = f"router_of({node})"
            router = self.integer(what, lambda node=node: topology.router_of(node), 0, last)
            at = int((attached[router] == node).sum())
            if count.any() and not count[node] == at == 1:
                raise self.refuse(f"node {node}", "be attached once, to its router", f"{at} times")
        if not count.any():
            self._local_ports()
        with self.computing("representatives"):
            few = np.asarray(topology.representatives)
        if few.dtype.kind not in "iu" or not len(few) or few.min() < 0 or few.max() > last:
            raise self.refuse(
                "representatives", f"be routers in 0..{last}", abbreviate(few.tolist())
            )

    def _local_ports(self) -> None:
        """Every node must be alone behind its router's port."""
        topology = self.topology
        last, behind = topology.local_ports - 1, dict[tuple[int, int], int]()
        for node in range(topology.nodes):
            what = f"node_port({node})"
            port = self.integer(what, lambda node=node: topology.node_port(node), 0, last)
            place = topology.router_of(node), port
            if place in behind:
                at = f"{topology.ports[port]} of router {place[0]}"
                raise self.refuse(
                    f"node {node}", "have a port of its own", f"{at}, as {behind[place]}"
                )
            behind[place] = node
        with self.computing("local_nodes"):
            found = np.asarray(topology.local_nodes)
        places = {
            tuple(place): int(found[tuple(place)]) for place in np.argwhere(found >= 0).tolist()
        }
        if found.shape != (topology.routers, last + 1) or places != behind:
            raise self.refuse("local_nodes", "agree with router_of and node_port", "differ")

    def _addresses(self) -> None:
        topology = self.topology
        end, codes = (1 << topology.address_width) - 1, dict[int, int]()
        for node in range(topology.nodes):
            what = f"address({node})"
            code = self.integer(what, lambda node=node: topology.address(node), 0, end)
            if code in codes:
                raise self.refuse(what, "be unique", f"{code}, as for node {codes[code]}")
            codes[code] = node
        if topology.address_width <= MOST_NODES.bit_length():
            addresses: Iterable[int] = range(end + 1)
        else:
            addresses = codes
        for code in addresses:
            what = f"node_at({code})"
            with self.computing(what):
                found = topology.node_at(code)
            if found != codes.get(code):
                raise self.refuse(what, f"be {codes.get(code)}, by `address`", abbreviate(found))

    def _labels(self) -> None:
        topology = self.topology
        for what, get, count in (
            ("label", topology.label, topology.nodes),
            ("router_label", topology.router_label, topology.routers),
            ("router_identifier", topology.router_identifier, topology.routers),
        ):
            seen: dict[str, int] = {}
            for number in range(count):
                with self.computing(f"{what}({number})"):
                    label = get(number)
                if not isinstance(label, str) or not _LABEL.fullmatch(label):
                    rule = "be letters, digits, _ and ."
                    raise self.refuse(f"{what}({number})", rule, abbreviate(label))
                if label in seen:
                    other = f"{label!r}, as for {seen[label]}"
                    raise self.refuse(f"{what}({number})", "be unique", other)
                seen[label] = number
        names = [topology.router_identifier(router) for router in range(topology.routers)]
        wires = [
            f"{name}_{port}" for name in names for port in topology.ports[topology.local_ports :]
        ]
        if double := find_duplicate(wires):
            raise self.refuse("router_identifier and port", "name one link", f"two by {double!r}")


class LinkCheck(MemberCheck):
    """Check of `neighbours`, `peer_ports`, `attached` and `link_latency`."""

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        self.neighbours, self.peers = np.zeros((0, 0), np.int32), np.zeros((0, 0), np.int32)

    def run(self) -> None:
        """Refuse the first contradiction."""
        self._arrays()
        self._links()
        self._latencies()
        self._connection()

    def _arrays(self) -> None:
        topology = self.topology
        shape = topology.routers, len(topology.ports)
        self.neighbours = self._array("neighbours", shape, topology.routers)
        self.peers = self._array("peer_ports", shape, len(topology.ports))
        self._array("attached", shape, topology.nodes)

    def _array(self, what: str, shape: tuple[int, int], end: int) -> np.ndarray:
        """Member that is an array of -1 and numbers below `end`, the same one when read again."""
        with self.computing(what):
            array, again = getattr(self.topology, what), getattr(self.topology, what)
        if not isinstance(array, np.ndarray) or array.dtype != np.int32 or array.shape != shape:
            raise self.refuse(
                what,
                f"be an int32 array of shape {shape}, routers by ports",
                _describe_array(array),
            )
        if array is not again and not np.array_equal(array, again):
            raise self.refuse(what, "be the same at every access", "different each time")
        wrong = (array < -1) | (array >= end)
        if wrong.any():
            router, port = _first_position(wrong)
            raise ConfigurationError(
                f"{self.name}: {self.port_at(router, port)} {what} must be -1 or in 0..{end - 1}, "
                f"not {array[router, port]}"
            )
        array.setflags(write=False)
        return array

    def _links(self) -> None:
        """Both ends of every link must name each other, or where links lead one way be one each."""
        near, peers = self.neighbours, self.peers
        self._where((near < 0) & (peers >= 0), "peer_ports must be -1 where neighbours is", peers)
        open_ended = (near >= 0) & (peers < 0)
        if open_ended.any():
            router, port = _first_position(open_ended)
            raise ConfigurationError(
                f"{self.name}: {self.port_at(router, port)} must lead to a port that leads back, "
                f"not to router {near[router, port]}, which has none"
            )
        linked = near >= 0
        columns = np.arange(near.shape[1])[None, :]
        local_ports = self.topology.local_ports
        self._where(
            linked & (columns < local_ports), "must have no link, because local is the node's", near
        )
        local = linked & (peers < local_ports)
        self._where(local, "peer_ports must not be local, its node's", peers)
        this = np.arange(len(near))[:, None]
        self._where(near == this, "must lead to another router", near)
        if self.topology.is_one_way:
            self._one_way(linked)
            return
        back_to = np.where(linked, near[near, peers], this)
        back_by = np.where(linked, peers[near, peers], columns)
        wrong = linked & ((back_to != this) | (back_by != columns))
        if wrong.any():
            router, port = _first_position(wrong)
            there, by = int(near[router, port]), int(peers[router, port])
            leads = int(back_to[router, port])
            to = "nowhere" if leads < 0 else f"to router {leads}"
            if leads >= 0 and back_by[router, port] >= 0:
                to += f", port {self.topology.ports[int(back_by[router, port])]}"
            raise ConfigurationError(
                f"{self.name}: {self.port_at(router, port)} must lead to a port that leads back, "
                f"not to port {self.topology.ports[by]} of router {there}, which leads {to}"
            )

    def _one_way(self, linked: np.ndarray) -> None:
        near, peers = self.neighbours, self.peers
        came = np.zeros(near.shape, np.int64)
        np.add.at(came, (near[linked], peers[linked]), 1)
        self._where(came > 1, "must receive from one link", came)

    def _latencies(self) -> None:
        """Links must take a number of cycles, and 1 where there is none."""
        with self.computing("link_latency"):
            latency = self.topology.link_latency
        if latency is None:
            return
        shape = self.neighbours.shape
        if (
            not isinstance(latency, np.ndarray)
            or latency.dtype != np.int32
            or latency.shape != shape
        ):
            rule = f"be None or an int32 array of shape {shape}, routers by ports"
            raise self.refuse("link_latency", rule, _describe_array(latency))
        wrong = (latency < 1) | (latency > MOST_LATENCY)
        self._where(wrong, f"link_latency must be in 1..{MOST_LATENCY}", latency)
        near, peers = self.neighbours, self.peers
        self._where((near < 0) & (latency > 1), "link_latency must be 1 without a link", latency)
        if not self.topology.is_one_way:
            other = (near >= 0) & (latency[near, peers] != latency)
            self._where(other, "link_latency must be that of the way back", latency)

    def _where(self, wrong: np.ndarray, rule: str, values: np.ndarray) -> None:
        if wrong.any():
            router, port = _first_position(wrong)
            raise ConfigurationError(
                f"{self.name}: {self.port_at(router, port)} {rule}, not {values[router, port]}"
            )

    def _connection(self) -> None:
        """Every router must be reachable from router 0, and reach it."""
        near = self.neighbours
        for senders, rule in (
            (near, "router {} must be reachable from router 0, and is not"),
            (self.topology.senders[0], "router 0 must be reachable from router {}, and is not"),
        ):
            seen = np.zeros(len(near), bool)
            seen[0] = True
            front = np.array([0])
            while len(front):
                after = np.unique(senders[front])
                front = after[after >= 0]
                front = front[~seen[front]]
                seen[front] = True
            if not seen.all():
                router = int(np.argmin(seen))
                raise ConfigurationError(f"{self.name}: {rule.format(router)}")


def _first_position(wrong: np.ndarray) -> tuple[int, int]:
    """First router and port of which something is true."""
    router, port = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return int(router), int(port)


def _describe_array(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return abbreviate(value)


def require_routing(routing: object, owner: str) -> type[Routing]:
    """Class of a routing; a user's must have a name and a rule.

    Raises
    ------
    ConfigurationError
        It has not, or is no routing.
    """
    if not isinstance(routing, type) or not issubclass(routing, Routing):
        raise ConfigurationError(
            f"{owner}: routing must be a class of Routing, not {abbreviate(routing)}"
        )
    if is_shipped(routing):
        return routing
    name = declared_name(routing)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ConfigurationError(
            f"{routing.__name__}: name must be letters, digits and _, as shortest is, not "
            f"{abbreviate(name)}"
        )
    missing = sorted(routing.__abstractmethods__)
    if missing:
        raise ConfigurationError(
            f"{owner}: routing={name} must have a {missing[0]}, a function of parameters, router, "
            f"port, channel_class and destination"
        )
    return routing


def require_fit(routing: Routing, topology: Topology) -> None:
    """Refuse a user's network for which routers of the routing's class cannot be made.

    Raises
    ------
    ConfigurationError
        Names the router class, or the routers that are not nodes.
    """
    owner = f"{topology.name}: routing={routing.name}"
    if routing.is_trusted:
        return
    if is_shipped(type(topology)):
        return
    if routing.settled is not None and not routing.is_adaptable:
        raise ConfigurationError(
            f"{owner} must be of router class {Routing.router_class} in a network of your own, not "
            f"{routing.router_class}"
        )
    if (topology.attached >= 0).any():
        raise ConfigurationError(
            f"{owner} must have a node at every router, not nodes that are attached to ports"
        )


_CHECKED = "_knotwork_checked"

RESERVED = (
    *("network", "routing", "router", "name"),
    *("traffic", "permutation", "matrix", "replay", "rate", "class_rates", "burst", "burst_rate"),
    *("packets", "length", "multicast_share", "broadcast_share", "reply", "service", "members"),
    *("bubble", "stall", "pauses", "seed", "collective_count"),
)
"""Keys that verbs take with every network: what chooses it, and its traffic."""

_NEEDED = ("nodes", "ports", "neighbours")


def is_inherited(kind: type[Topology], member: str) -> bool:
    """Whether a class has a member from `Topology` as it stands there."""
    return getattr_static(kind, member) is getattr_static(Topology, member)


def require_sound_topology(topology: Topology) -> None:
    """Refuse a topology whose members contradict one another; once for each that is made.

    Those of the registry that are Knotwork's own are taken as they are.

    Raises
    ------
    ConfigurationError
        Names the router and the port, where it is about one.
    """
    if is_shipped(type(topology)) or _CHECKED in vars(topology):
        return
    require_sound_class(type(topology))
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(topology).run()
    vars(topology)[_CHECKED] = True


def require_sound_class(kind: type[Topology]) -> None:
    """Refuse a class of topologies without a name of its own, or with keys that have no kind.

    Raises
    ------
    ConfigurationError
        Names the class, and the key.
    """
    name = declared_name(kind)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ConfigurationError(
            f"{kind.__name__}: name must be letters, digits and _, as circulant is, not {name!r}"
        )
    if name in TOPOLOGIES.shipped:
        raise ConfigurationError(
            f"{kind.__name__}: name must not be that of one of Knotwork's networks, as {name!r} is"
        )
    reserved = set(RESERVED).union(*(router.keys() for router in ROUTER_PARAMETERS.values()))
    for field in dataclasses.fields(kind):
        if field.name in reserved:
            raise ConfigurationError(
                f"{name}: a key must not have the name of a routing, hardware or traffic key, as "
                f"{field.name} has"
            )
        if not isinstance(field.metadata.get("kind"), Kind):
            raise ConfigurationError(
                f"{name}: {field.name} must be declared by parameter(...), as in "
                f"{field.name}: int = parameter(Integer(2, 64), help='...')"
            )
    if not isinstance(kind.routings, tuple):
        raise ConfigurationError(
            f"{name}: routings must be a tuple of classes of Routing, not "
            f"{abbreviate(kind.routings)}"
        )
    for routing in kind.routings:
        require_routing(routing, name)
    missing = [member for member in _NEEDED if is_inherited(kind, member)]
    if missing:
        raise ConfigurationError(
            f"{name}: {missing[0]} must be defined, as a property of {kind.__name__}"
        )
