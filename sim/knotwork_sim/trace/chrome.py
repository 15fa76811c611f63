"""Crossings in the trace-event format, which Perfetto and Chrome's own viewer read.

References
----------
*Trace Event Format*, Google, the JSON object form.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from knotwork import __version__
from knotwork.network import Network

from ..check.links import Crossings
from ..check.result import SimulationResult

Event = dict[str, Any]

CHANNELS, PACKETS = 1, 2
"""Processes of the trace: a thread for each channel, and packets as they wait and go."""


def chrome_trace(network: Network, result: SimulationResult, *, command: str) -> str:
    """JSON of a trace; a cycle is shown as a microsecond.

    Each channel is a thread, on which a packet is a slice from its head flit to its tail. Arrows
    lead from channel to channel on its way. Each packet is an asynchronous slice from the offer to
    the last flit's ejection, in which its waits are slices.
    """
    crossings = result.crossings
    assert crossings is not None
    names, lanes = channel_names(network, crossings)
    events = [*_names(network, names), *_slices(crossings, lanes), *_flows(crossings, lanes)]
    events += [*_packets(network, crossings), *_in_flight(crossings)]
    return json.dumps(
        {
            "displayTimeUnit": "ms",
            "otherData": {
                "tool": f"knotwork {__version__}",
                "command": command,
                "network": network.name,
                "engine": result.engine,
                "mismatches": result.mismatches,
                "unit": "1 us is one cycle",
            },
            "traceEvents": events,
        },
        separators=(",", ":"),
    )


def channel_names(network: Network, crossings: Crossings) -> tuple[list[str], np.ndarray]:
    """Names of the channels that anything crossed, in order, and the channel of each visit."""
    topology, several = network.topology, network.routing.virtual_channels > 1
    columns = (crossings.router, crossings.port, crossings.virtual_channel, crossings.to)
    rows, numbers = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    names = [
        f"{topology.router_label(router)} {topology.ports[port]}"
        + (f" vc{vc}" if several and to >= 0 else "")
        for router, port, vc, to in rows.tolist()
    ]
    return names, numbers.reshape(-1)


def _names(network: Network, names: list[str]) -> Iterator[Event]:
    for process, name in ((CHANNELS, f"{network.name}: channels"), (PACKETS, "packets")):
        yield _named("process_name", process, 0, name)
    for number, name in enumerate(names):
        yield _named("thread_name", CHANNELS, number, name)
        yield {
            "ph": "M",
            "name": "thread_sort_index",
            "pid": CHANNELS,
            "tid": number,
            "args": {"sort_index": number},
        }


def _named(kind: str, process: int, thread: int, name: str) -> Event:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def _slices(crossings: Crossings, lanes: np.ndarray) -> Iterator[Event]:
    """Slice for each visit."""
    columns = (crossings.packet, crossings.head, crossings.tail, crossings.flits, crossings.wait)
    rows = zip(*(column.tolist() for column in columns), lanes.tolist(), strict=True)
    for packet, head, tail, flits, wait, lane in rows:
        yield {
            "ph": "X",
            "cat": "channel",
            "name": f"packet {packet}",
            "pid": CHANNELS,
            "tid": lane,
            "ts": head,
            "dur": tail - head + 1,
            "args": {"packet": packet, "flits": flits, "waited": wait},
        }


def _flows(crossings: Crossings, lanes: np.ndarray) -> Iterator[Event]:
    """Arrow from each visit to the next one of the packet; a flow for each, as ways may branch."""
    threads, heads = lanes.tolist(), crossings.head.tolist()
    for visit, before in enumerate(crossings.before.tolist()):
        if before < 0:
            continue
        about = {"cat": "way", "name": "way", "id": visit, "pid": CHANNELS}
        yield about | {"ph": "s", "tid": threads[before], "ts": heads[before]}
        yield about | {"ph": "f", "bp": "e", "tid": threads[visit], "ts": heads[visit]}


def _packets(network: Network, crossings: Crossings) -> Iterator[Event]:
    """Asynchronous slices: a packet from offer to ejection, and within it each wait of its head."""
    waits: dict[int, list[int]] = defaultdict(list)
    for visit in np.nonzero(crossings.wait > 0)[0].tolist():
        waits[int(crossings.packet[visit])].append(visit)
    for number, row in enumerate(crossings.packets.rows()):
        if None in (row["offered"], row["injected"], row["ejected"]):
            continue
        begins = row["offered"]
        to = "all" if row["destination"] is None else row["destination"]
        about = {"cat": "packet", "id": number, "pid": PACKETS, "tid": 0}
        name = f"packet {number}: {row['source']} to {to}"
        yield about | {"ph": "b", "name": name, "ts": begins, "args": row}
        if row["injected"] > begins:
            wait = about | {"name": "waits in its node"}
            yield from (wait | {"ph": "b", "ts": begins}, wait | {"ph": "e", "ts": row["injected"]})
        for visit in waits[number]:
            router = network.topology.router_label(int(crossings.router[visit]))
            wait = about | {"name": f"waits in router {router}"}
            ready, head = int(crossings.ready[visit]), int(crossings.head[visit])
            yield from (wait | {"ph": "b", "ts": ready}, wait | {"ph": "e", "ts": head})
        yield about | {"ph": "e", "name": name, "ts": row["ejected"] + 1}


def _in_flight(crossings: Crossings) -> Iterator[Event]:
    """Counter of packets that were injected and are not ejected."""
    rows = crossings.packets.rows()
    whole = [row for row in rows if row["injected"] is not None and row["ejected"] is not None]
    changes: dict[int, int] = defaultdict(int)
    for row in whole:
        changes[row["injected"]] += 1
        changes[row["ejected"] + 1] -= 1
    count = 0
    for clock in sorted(changes):
        count += changes[clock]
        yield {
            "ph": "C",
            "name": "packets in flight",
            "pid": PACKETS,
            "ts": clock,
            "args": {"packets": count},
        }
