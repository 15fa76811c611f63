"""Check of a user's links: that the arrays agree, and that every router can be reached."""

import numpy as np

from ..errors import ConfigurationError
from ..topology import Topology
from ..topology.addressed_graph import MOST_LATENCY
from .member_check import MemberCheck, abbreviate


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
            raise self.refuse(what, "be the same at every access", "others each time")
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
        """Every router must be reached from router 0, and reach it."""
        near = self.neighbours
        for senders, way in (
            (near, "from router 0"),
            (self.topology.senders[0], "back to router 0"),
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
                raise ConfigurationError(
                    f"{self.name}: every router must be reached {way}, not all but router {router}"
                )


def _first_position(wrong: np.ndarray) -> tuple[int, int]:
    """First router and port of which something is true."""
    router, port = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return int(router), int(port)


def _describe_array(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return abbreviate(value)
