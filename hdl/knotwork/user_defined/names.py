"""Check of what a user's topology calls its nodes: sizes, ports, addresses and labels."""

import re
from collections.abc import Iterable

import numpy as np

from .member_check import MemberCheck, abbreviate, find_duplicate

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
            raise self.refuse(
                "ports", f"begin with {_quote_all(locals_)}", abbreviate(ports[:count])
            )
        for port in ports:
            if not NAME.fullmatch(port):
                raise self.refuse("a port's name", "be letters, digits and _", repr(port))
        if double := find_duplicate(ports):
            raise self.refuse("a port's name", "stand once", f"{double!r} twice")


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
            raise self.refuse("local_nodes", "agree with router_of and node_port", "otherwise")

    def _addresses(self) -> None:
        topology = self.topology
        end, codes = (1 << topology.address_width) - 1, dict[int, int]()
        for node in range(topology.nodes):
            what = f"address({node})"
            code = self.integer(what, lambda node=node: topology.address(node), 0, end)
            if code in codes:
                raise self.refuse(what, "be no other node's", f"{code}, that of node {codes[code]}")
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
                    other = f"{label!r}, that of {seen[label]}"
                    raise self.refuse(f"{what}({number})", "be no other's", other)
                seen[label] = number
        names = [topology.router_identifier(router) for router in range(topology.routers)]
        wires = [
            f"{name}_{port}" for name in names for port in topology.ports[topology.local_ports :]
        ]
        if double := find_duplicate(wires):
            raise self.refuse("router_identifier and port", "name a link", f"two by {double!r}")


def _quote_all(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
