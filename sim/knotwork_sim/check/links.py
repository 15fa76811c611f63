"""What crosses the links of a network in a simulation: how many flits, and which packet when."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network

from ..columns import Table
from ..model.record import Record
from ..model.router_model import Tally
from ..model.run import MODELS
from ..traffic.packets import NEVER, Packets, make_copies


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Flits that crossed each channel between routers, and the cycles in which they did.

    Members
    -------
    router, port, to, virtual_channel : ndarray
        Router that sends, its output port, the router behind it, and the virtual channel, int64.
    ports : tuple of str
        Names of the ports.
    flits : ndarray
        Flits that crossed each channel, int64.
    cycles : int
        Cycles of the run, up to the last delivery.
    """

    router: np.ndarray
    port: np.ndarray
    to: np.ndarray
    virtual_channel: np.ndarray
    ports: tuple[str, ...]
    flits: np.ndarray
    cycles: int

    @classmethod
    def of(cls, network: Network, tally: Tally, cycles: int) -> "LinkLoads":
        """Loads that a run counted, in as many cycles."""
        topology = network.topology
        shape = (*topology.neighbours.shape, network.routing.virtual_channels)
        wired = np.broadcast_to((topology.neighbours >= 0)[:, :, None], shape)
        router, port, channel = np.nonzero(wired)
        return cls(
            router=router,
            port=port,
            to=topology.neighbours[router, port].astype(np.int64),
            virtual_channel=channel,
            ports=tuple(topology.ports),
            flits=tally.crossings.reshape(shape)[router, port, channel],
            cycles=cycles,
        )

    @classmethod
    def sum(cls, parts: "Sequence[LinkLoads]") -> "LinkLoads":
        """Loads of several runs of one network together."""
        first = parts[0]
        flits, cycles = sum(each.flits for each in parts), sum(each.cycles for each in parts)
        return cls(**{**first.__dict__, "flits": flits, "cycles": cycles})

    @property
    def utilization(self) -> np.ndarray:
        """Flits per cycle of each channel, float64."""
        return np.round(self.flits / max(self.cycles, 1), 6)

    @property
    def of_wires(self) -> np.ndarray:
        """Flits per cycle of each direction of a link, all its virtual channels, float64."""
        begins = np.nonzero(self.virtual_channel == 0)[0]
        flits = np.add.reduceat(self.flits, begins) if len(begins) else np.zeros(0)
        return np.round(flits / max(self.cycles, 1), 6)

    @property
    def mean(self) -> float | None:
        """Mean utilisation of a direction of a link, flits per cycle; None without links."""
        return round(float(self.of_wires.mean()), 6) if len(self.flits) else None

    @property
    def max(self) -> float | None:
        """Utilisation of the fullest direction of a link, flits per cycle."""
        return float(self.of_wires.max()) if len(self.flits) else None

    @property
    def table(self) -> Table:
        """Row a channel."""
        return Table(
            {
                "router": self.router,
                "port": np.array(self.ports)[self.port],
                "to": self.to,
                "virtual_channel": self.virtual_channel,
                "flits": self.flits,
                "utilization": self.utilization,
            }
        )

    def as_json(self) -> dict[str, object]:
        """Mean and largest utilisation, and a row for each channel."""
        return {"mean": self.mean, "max": self.max, "channels": self.table.rows()}

    def __repr__(self) -> str:
        return (
            f"<LinkLoads of {len(self.of_wires)} directions: mean {self.mean:g}, max {self.max:g} "
            f"flits/cycle>"
            if len(self.flits)
            else "<LinkLoads of no links>"
        )


MOST = 100_000
"""Flits that cross channels in a run of which there is a record, those to nodes included."""

UNKNOWN = -1
"""Cycle, node or visit that is not there."""


def require_few(record: Record) -> None:
    """Refuse a run of which no record is kept.

    Raises
    ------
    ConfigurationError
        More crossings than `MOST`.
    """
    tally = record.tally
    if tally is not None and tally.noted[0] > MOST:
        raise ConfigurationError(
            f"--trace: flits must cross channels at most {MOST} times, not {int(tally.noted[0])}; "
            "fewer packets do so"
        )


@dataclass(frozen=True, eq=False)
class Crossings:
    """Crossings of a run: a visit is one packet, or copy of a multicast, on one channel.

    Members
    -------
    packet : ndarray
        Index of the packet or copy of each visit, int64; the visits are in order of it and of
        `head`.
    router, port, virtual_channel, to : ndarray
        Channel: router, its output port, virtual channel, and the router behind it, int64; -1
        where that is the packet's node.
    ready : ndarray
        Cycle in which its head flit could have crossed if nothing had been in its way, int64.
    head, tail : ndarray
        Cycles in which its first and last flit crossed, int64.
    flits : ndarray
        Flits that crossed, int64.
    before : ndarray
        Visit by which the head flit came to this router, int64; -1 at its first router.
    packets : Table
        Row for each packet or copy: ``packet`` of which it is a copy, ``source``, ``destination``
        (unknown of a broadcast), ``length`` in flits, and the cycles ``offered``, ``injected``
        (unknown of a copy that a node sends on) and ``ejected`` (its last flit, at the last of its
        nodes).
    cycles : int
        Cycles of the run.
    """

    packet: np.ndarray
    router: np.ndarray
    port: np.ndarray
    virtual_channel: np.ndarray
    to: np.ndarray
    ready: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    flits: np.ndarray
    before: np.ndarray
    packets: Table
    cycles: int

    @property
    def wait(self) -> np.ndarray:
        """Cycles that each head flit waited for its channel, int64."""
        return self.head - self.ready

    @classmethod
    def of(cls, network: Network, packets: Packets, record: Record) -> "Crossings":
        """Crossings that a run of the golden model noted."""
        assert record.tally is not None
        events = record.tally.events[: int(record.tally.noted[0])]
        channels = len(record.tally.crossings)
        order = np.lexsort((events[:, 0], events[:, 2] * channels + events[:, 1]))
        clock, channel, packet, beat = events[order].T
        first = np.nonzero(beat == 0)[0]
        last = np.append(first[1:], len(beat)) - 1
        by_time = np.lexsort((order[first], clock[first], packet[first]))
        first, last = first[by_time], last[by_time]
        vcs = network.routing.virtual_channels
        place, virtual_channel = np.divmod(channel[first], vcs)
        router, port = np.divmod(place, network.topology.neighbours.shape[1])
        to = network.topology.neighbours[router, port].astype(np.int64)
        before = _before(packet[first], router, to)
        rows = _packet_rows(network, packets, record)
        head = clock[first]
        ready = _ready(network, rows, packet[first], (head, before), (router, port))
        return cls(
            packet=packet[first],
            router=router,
            port=port,
            virtual_channel=virtual_channel,
            to=to,
            ready=ready,
            head=head,
            tail=clock[last],
            flits=last - first + 1,
            before=before,
            packets=rows,
            cycles=record.clocks,
        )


def _before(packet: np.ndarray, router: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Last visit of the same packet, earlier in the order, that led to the router of each."""
    latest: dict[tuple[int, int], int] = {}
    before = np.full(len(packet), UNKNOWN)
    visits = zip(packet.tolist(), router.tolist(), to.tolist(), strict=True)
    for visit, (number, here, behind) in enumerate(visits):
        before[visit] = latest.get((number, here), UNKNOWN)
        if behind >= 0:
            latest[number, behind] = visit
    return before


def _ready(
    network: Network,
    rows: Table,
    packet: np.ndarray,
    visits: tuple[np.ndarray, np.ndarray],
    channel: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Cycle in which each head flit could have crossed; where nobody knows, that in which it did.

    `visits` are `head` and `before` of `Crossings`; `channel`, its routers and ports.
    """
    head, before = visits
    cycles = MODELS[network.router_class].crossing_cycles(network)
    assert cycles is not None
    latency = network.topology.link_latency
    more = np.zeros(len(head), np.int64) if latency is None else latency[channel] - 1
    injected = np.ma.filled(rows.columns["injected"], UNKNOWN)[packet]
    starts = np.where(injected < 0, head, injected + cycles.entry)
    follows = head[before] + cycles.hop + more[before]
    return np.where(before < 0, starts, follows)


def _packet_rows(network: Network, packets: Packets, record: Record) -> Table:
    """Row for each packet and copy; see `Crossings`."""
    copies, count = make_copies(network, packets), len(packets)
    origin, total = copies.origin, len(copies.origin)
    injected = np.full(total, UNKNOWN)
    if record.injected is not None:
        injected[:count] = record.injected
    ejected, source = np.full(total, UNKNOWN), packets.source[origin]
    if record.packet is not None:
        last = record.last == 1
        np.maximum.at(ejected, record.packet[last], record.clock[last])
    senders = np.repeat(np.arange(total), copies.count)
    sent = copies.first[senders] + np.arange(len(senders))
    sent -= np.repeat(np.cumsum(copies.count) - copies.count, copies.count)
    relayed = senders >= count
    source[sent[relayed]] = copies.destination[senders[relayed]]
    offered, known = packets.time[origin], copies.destination >= 0
    return Table(
        {
            "packet": origin,
            "source": source,
            "destination": np.ma.array(copies.destination, mask=~known),
            "length": copies.length,
            "offered": np.ma.array(offered, mask=offered >= NEVER),
            "injected": np.ma.array(injected, mask=injected < 0),
            "ejected": np.ma.array(ejected, mask=ejected < 0),
        }
    )
