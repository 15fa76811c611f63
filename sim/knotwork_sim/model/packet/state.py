"""Registers and buffers of all packet routers, and scratch memory, as arrays for compiled loops.

A network of a hundred thousand routers is larger than any cache. So fields that are used together
are stored together; the few that neighbours read are in small separate arrays.
"""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.parameters import PacketParameters
from knotwork.routing.compiled.calls import broadcast_rule_address
from knotwork.routing.draws import first_state
from knotwork.topology import Topology

from ...compiled import NONE, part, words_for
from ...traffic.packets import Copies, Packets

REGULATOR = np.dtype(
    [
        ("gain", np.int64),
        ("cost", np.int64),
        ("full", np.int64),
        ("missing", np.int64),
        ("since", np.int64),
    ]
)
"""Regulator of a node: what comes in a cycle, what a beat takes and what the bucket holds, in parts
of a token, `cost` 0 without a regulator; what was missing in cycle `since`."""


def make_regulators(network: Network) -> np.ndarray:
    """Regulators of all nodes, `REGULATOR`; empty where there is none."""
    limits = network.injection_limits
    if not any(limits):
        return np.zeros(0, REGULATOR)
    regulators = np.zeros((len(limits), network.topology.nodes // len(limits)), REGULATOR)
    for row, limit in zip(regulators, limits, strict=True):
        if limit is not None:
            row["gain"], row["cost"] = limit.rate.numerator, limit.rate.denominator
            row["full"] = limit.burst * limit.rate.denominator
    return regulators.ravel()


@part
def has_options(fixed):
    """Whether the network has an option; known when the loop is compiled."""
    return len(fixed.options) > 0


@part
def has_broadcasts(fixed):
    """Whether packets may be broadcasts."""
    return has_options(fixed) and fixed.broadcast_rule != 0


@part
def has_stores(fixed):
    """Whether nodes have multicast units."""
    return has_options(fixed) and fixed.stores > 0


@part
def can_escape(fixed):
    """Whether packets have other ways, the last of which is an escape."""
    return has_options(fixed) and fixed.escape >= 0


@part
def prefers_open(fixed):
    """Whether heads request the first of their ways that is open."""
    return can_escape(fixed) and fixed.prefers_open


@part
def draws_ways(fixed):
    """Whether routers draw the ways with which heads begin."""
    return can_escape(fixed) and fixed.drawn_ways > 1


@part
def has_draws(fixed):
    """Whether sources draw a number for each packet."""
    return has_options(fixed) and fixed.draws > 1


@part
def has_classes(fixed):
    """Whether there are several classes of traffic."""
    return has_options(fixed) and fixed.traffic_classes > 1


@part
def _missing(regulator, clock):
    """What is missing in the bucket in a cycle."""
    return max(0, regulator.missing - regulator.gain * (clock - regulator.since))


@part
def is_held(fixed, regulators, node, beat, clock):
    """Whether a node's regulator holds back the beat that its source offers."""
    if not has_options(fixed) or len(regulators) == 0 or regulators[node].cost == 0:
        return False
    missing = _missing(regulators[node], clock)
    if beat == 0:
        return missing > 0
    return missing > regulators[node].full - regulators[node].cost


@part
def pass_beat(fixed, regulators, node, clock):
    """Take the token of a beat that goes through a node's regulator."""
    if has_options(fixed) and len(regulators) > 0 and regulators[node].cost > 0:
        regulator = regulators[node]
        regulator.missing = _missing(regulator, clock) + regulator.cost
        regulator.since = clock


_IN_CACHE = 1 << 13
"""Channels of the largest network that fits into the cache of a core."""

INPUT = np.dtype(
    [
        ("packet", np.int32),
        ("beat", np.int32),
        ("length", np.int32),
        ("turn", np.int32),
        ("way", np.int32),
        ("router", np.int32),
        ("base", np.int32),
        ("slot", np.int16),
        ("first", np.int16),
    ],
    align=True,
)
"""Input channel, half of a line of the cache.

`packet` and `beat` are the front flit of the buffer, which requests its turn, packet -1 for none;
`length` is the number of flits of that packet. `first` is where the ring of the flits behind the
front begins. `turn` is the output channel that the front flit requests, by the `way` of that number
among those that its packet has. `router` and `slot` say where the channel is; `base` is the first
channel of this router.
"""

FLIT = np.dtype([("packet", np.int32), ("beat", np.int32)])
"""Flit in a buffer."""

OUTPUT = np.dtype([("owner", np.int16), ("last", np.int16), ("into", np.int32)])
"""Output channel: slot whose packet owns it, -1 for none; slot after which its arbiter begins;
input channel behind it, or ``~node`` where a node is."""

NODE = np.dtype(
    [
        ("entry", np.int32),
        ("first_vc", np.int32),
        ("skid_packet", np.int32),
        ("skid_beat", np.int32),
        ("ejected_packet", np.int32),
        ("ejected_beat", np.int32),
        ("ejected_class", np.int32),
        ("generator", np.int32),
    ]
)
"""Interface of a node: the first channel of its port, by which its flits enter and leave, and the
first virtual channel of its class of traffic; the flit in its skid buffer, packet -1 for none; the
flit that crosses to the node in this cycle; and the state by which its next packet draws."""

HEADER = np.dtype([("destination", np.int32), ("length", np.int32)])
"""What routers read of a packet: its destination and its number of flits, for every hop."""

PACKET = np.dtype(
    [
        ("source", np.int32),
        ("start_vc", np.int32),
        ("chain", np.int32),
        ("first_copy", np.int32),
        ("copies", np.int32),
        ("refused", np.bool_),
        ("multicast", np.bool_),
        ("broadcast", np.bool_),
    ],
    align=True,
)
"""Packet as it travels (`Copies`), and how the network treats it."""


class State(NamedTuple):
    """Registers and buffers of all routers.

    A channel is (router * ports + port) * vcs + vc, an input or an output channel; a slot is a
    channel within its router.

    Members
    -------
    inputs : ndarray
        `INPUT` of each channel.
    levels : ndarray
        Flits in the buffer of each channel, the front included, int16.
    flits : ndarray
        `FLIT` of the flits behind the fronts, ring buffers of shape (channels, depth).
    outputs : ndarray
        `OUTPUT` of each channel.
    nodes : ndarray
        `NODE` of each.
    fronts : ndarray
        Set of the input channels that have a front flit.
    regulators : ndarray
        `REGULATOR` of each node; empty where nothing limits what they send.
    receiving : ndarray
        Set of the nodes before which a flit waits in a register.
    """

    inputs: np.ndarray
    levels: np.ndarray
    flits: np.ndarray
    outputs: np.ndarray
    nodes: np.ndarray
    fronts: np.ndarray
    regulators: np.ndarray
    receiving: np.ndarray


class Fixed(NamedTuple):
    """What stays the same during a run.

    Members
    -------
    rule, broadcast_rule, parameters : int
        Addresses, for `routing.compiled.calls`; `broadcast_rule` is 0 where there is none.
    numbers : ndarray
        Array at the address `parameters`; it must live as long as the address is used.
    turns : ndarray
        Slot that the rule says of input channel * nodes + destination, and one more, int16; 0 where
        it was not called yet. Of size 0 where that would not fit into a cache, the rule's answers
        change, or depend on more than the destination.
    port_of, vc_of : ndarray
        Port and virtual channel of each slot.
    group_of : ndarray
        Of each channel, (router * ports + port) * traffic_classes + class of traffic.
    local_nodes : ndarray
        Node behind each local port, int32 (routers, local ports), -1 for none.
    headers, packets : ndarray
        `HEADER` and `PACKET` of every copy.
    depth, entry_depth : int
        Flits that a buffer holds at most, and those that one behind a node holds.
    longest : int
        Most flits of a broadcast; 0 without broadcasts.
    escape : int
        First escape class, -1 for none.
    other_ways : ndarray
        What the rule is asked for further ways of a blocked head, int32; `Routing.other_ways`.
    prefers_open : bool
        Whether a head requests the first of its ways that is open, in place of one after another.
    drawn_ways : int
        Ways between which a router draws the one with which a head begins; 1 where none does.
    draws : int
        Numbers between which a source draws; 1 where none does.
    written, router_of : ndarray
        `Routing.written_numbers`, and the router of each node.
    stores : int
        Stores of a node.
    traffic_classes, share : int
        Classes of traffic, and virtual channels of each.
    is_large : bool
        Whether prefetching pays.
    options : tuple
        Empty where the network has neither broadcasts, multicasts, escapes, classes of traffic,
        limits of injection, draws nor long links: the loop for it is compiled without them, and is
        a fifth faster.
    """

    rule: int
    broadcast_rule: int
    parameters: int
    numbers: np.ndarray
    turns: np.ndarray
    port_of: np.ndarray
    vc_of: np.ndarray
    group_of: np.ndarray
    local_nodes: np.ndarray
    headers: np.ndarray
    packets: np.ndarray
    nodes: int
    ports: int
    local_ports: int
    vcs: int
    traffic_classes: int
    share: int
    classes: int
    depth: int
    entry_depth: int
    pipeline: int
    escape: int
    other_ways: np.ndarray
    prefers_open: bool
    drawn_ways: int
    draws: int
    written: np.ndarray
    router_of: np.ndarray
    stores: int
    longest: int
    is_large: bool
    options: tuple[()] | tuple[bool]


def make_state(network: Network) -> State:
    """Make an empty network, as after reset."""
    topology, vcs = network.topology, network.routing.virtual_channels
    routers, ports = topology.neighbours.shape
    slots = ports * vcs
    inputs = np.zeros(routers * slots, INPUT)
    inputs["packet"] = NONE
    inputs["router"] = np.repeat(np.arange(routers), slots)
    inputs["base"] = inputs["router"] * slots
    inputs["slot"] = np.tile(np.arange(slots), routers)
    outputs = np.zeros(routers * slots, OUTPUT)
    outputs["owner"], outputs["last"] = NONE, slots
    outputs["into"] = _inputs_behind(topology, vcs)
    return State(
        inputs=inputs,
        levels=np.zeros(routers * slots, np.int16),
        flits=np.zeros((routers * slots, network.deepest_buffer), FLIT),
        outputs=outputs,
        nodes=_make_nodes(network),
        fronts=np.zeros(words_for(routers * slots), np.uint64),
        regulators=make_regulators(network),
        receiving=np.zeros(words_for(topology.nodes), np.uint64),
    )


def _inputs_behind(topology: Topology, vcs: int) -> np.ndarray:
    """Input channel behind each output channel, int32; ``~node`` where a node is, else -1."""
    ports = topology.neighbours.shape[1]
    port = topology.neighbours.astype(np.int64) * ports + topology.peer_ports
    behind = port[:, :, None] * vcs + np.arange(vcs)
    behind[topology.neighbours < 0] = NONE
    nodes = topology.local_nodes[:, :, None]
    behind[:, : topology.local_ports] = np.where(nodes >= 0, ~nodes, NONE)
    return behind.ravel()


def _make_nodes(network: Network) -> np.ndarray:
    """Interfaces of all nodes, as after reset."""
    topology, (routers, ports) = network.topology, network.topology.node_ports_table
    nodes = np.zeros(topology.nodes, NODE)
    nodes["entry"] = routers * len(topology.ports) + ports
    nodes["entry"] *= network.virtual_channels
    share = network.virtual_channels // network.traffic_classes
    nodes["first_vc"] = [topology.port_class(port) * share for port in ports.tolist()]
    nodes["skid_packet"] = nodes["ejected_packet"] = NONE
    if network.routing.draws > 1:
        nodes["generator"] = [
            first_state(topology.address(node), topology.address_width)
            for node in range(topology.nodes)
        ]
    return nodes


def make_fixed(
    network: Network, packets: Packets, copies: Copies, *, stores: int, remembers: bool = True
) -> Fixed:
    """Tables of a network and of the packets that travel it.

    `stores` is their number per node; `remembers` says whether the rule's answers are kept.
    """
    routing, ports = network.routing, network.topology.neighbours.shape[1]
    vcs, broadcast = routing.virtual_channels, routing.broadcast
    hardware = PacketParameters.of(network.hardware)
    rule, numbers = routing.compiled_rule
    table = np.zeros(len(copies.destination), PACKET)
    headers = np.zeros(len(table), HEADER)
    headers["destination"], headers["length"] = copies.destination, copies.length
    for name, values in (
        ("start_vc", copies.virtual_channel),
        ("chain", copies.chain),
        ("first_copy", copies.first),
        ("copies", copies.count),
    ):
        table[name] = values
    own = table[: len(packets)]
    own["source"], own["refused"] = packets.source, packets.refused
    own["multicast"], own["broadcast"] = packets.multicast, packets.broadcast
    has_options = (
        *(broadcast is not None, stores > 0, not routing.has_one_path),
        *(network.traffic_classes > 1, any(network.injection_limits)),
        network.topology.link_latency is not None,
    )
    return Fixed(
        rule=rule,
        broadcast_rule=0 if broadcast is None else broadcast_rule_address(broadcast.rule),
        parameters=numbers.ctypes.data,
        numbers=numbers,
        turns=_make_turns(network) if remembers else np.zeros(0, np.int16),
        port_of=np.repeat(np.arange(ports, dtype=np.int32), vcs),
        local_nodes=network.topology.local_nodes,
        vc_of=np.tile(np.arange(vcs, dtype=np.int32), ports),
        group_of=np.arange(network.topology.neighbours.size * vcs, dtype=np.int32)
        // (vcs // network.traffic_classes),
        headers=headers,
        packets=table,
        nodes=network.topology.nodes,
        ports=ports,
        local_ports=network.topology.local_ports,
        vcs=vcs,
        traffic_classes=network.traffic_classes,
        share=vcs // network.traffic_classes,
        classes=routing.classes,
        depth=network.deepest_buffer,
        entry_depth=hardware.buffer_depth,
        pipeline=hardware.pipeline,
        escape=NONE if routing.escape_class is None else routing.escape_class,
        other_ways=np.array(routing.other_ways, np.int32),
        prefers_open=routing.selection.prefers_open,
        drawn_ways=len(routing.other_ways) if routing.selection.is_drawn else 1,
        draws=routing.draws,
        written=routing.written_numbers,
        router_of=np.ascontiguousarray(network.topology.node_ports_table[0], np.int64),
        stores=stores,
        longest=network.longest_copied_packet if network.has_broadcast else 0,
        is_large=network.topology.neighbours.size * vcs > _IN_CACHE,
        options=(True,) if any(has_options) else (),
    )


def _make_turns(network: Network) -> np.ndarray:
    """Space for what the rule says of every turn, if that fits into a cache; else none."""
    size = network.topology.neighbours.size * network.virtual_channels * network.topology.nodes
    is_kept = size <= _REMEMBERED and network.routing.has_one_path
    return np.zeros(size if is_kept else 0, np.int16)


_REMEMBERED = 1 << 20
"""Most answers of a rule that are kept."""

REQUEST = np.dtype(
    [
        ("above", np.int32),
        ("lowest", np.int32),
        ("owner_requests", np.bool_),
    ],
    align=True,
)
"""Requests for an output channel of a plain router: the first slot after the one granted last that
requests it, and the first of all, -1 for none; whether its owner requests it."""

ARRIVAL = np.dtype(
    [("label", np.int64), ("channel", np.int32), ("packet", np.int32), ("beat", np.int32)],
    align=True,
)
"""Flit that is written into a buffer at the end of the cycle."""

COUNTERS = np.dtype(
    [
        ("departures", np.int64),
        ("arrivals", np.int64),
        ("heads", np.int64),
        ("entering", np.int64),
        ("offering", np.int64),
        ("requested", np.int64),
        ("blocked", np.int64),
        ("woken", np.int64),
        ("steps", np.int64),
        ("flits", np.int64),
        ("storing", np.int64),
        ("crossings", np.int64),
        ("shown", np.int64),
    ]
)
"""Entries in the lists of `Scratch`, and counts: packets whose time has come (`woken`), sources
that offer a beat, changes in this cycle (`steps`), flits in the network, stores that are not idle
(`storing`), flits that have crossed a router."""


class Scratch(NamedTuple):
    """Scratch memory of one cycle, for all routers.

    Members
    -------
    requests : ndarray
        `REQUEST` of each output channel of plain routers; `lowest` is -1 where there is none.
    requested : ndarray
        Outputs that are requested: of plain routers channels, of those with credits groups.
    departures : ndarray
        Input channels of plain routers that a flit has left in this cycle.
    arrivals : ndarray
        `ARRIVAL` of this cycle.
    entering : ndarray
        Nodes whose beat the network takes in this cycle.
    heads : ndarray
        Input channels to whose front a head flit came.
    shown : ndarray
        Input channels that came to the front of their input, or were blocked and stay there; only
        where heads prefer open channels.
    sources : ndarray
        Set of the nodes with a beat to give.
    counters : ndarray
        `COUNTERS`, one.
    """

    requests: np.ndarray
    requested: np.ndarray
    departures: np.ndarray
    arrivals: np.ndarray
    entering: np.ndarray
    heads: np.ndarray
    shown: np.ndarray
    sources: np.ndarray
    counters: np.ndarray


def make_scratch(network: Network) -> Scratch:
    """Make cleared scratch memory."""
    (routers, ports), nodes = network.topology.neighbours.shape, network.topology.nodes
    channels = routers * ports * network.routing.virtual_channels
    requests = np.zeros(0 if network.has_credits else channels, REQUEST)
    requests["lowest"] = requests["above"] = NONE
    return Scratch(
        requests=requests,
        requested=np.zeros(channels, np.int32),
        departures=np.zeros(channels, np.int32),
        arrivals=np.zeros(routers * ports, ARRIVAL),
        entering=np.zeros(nodes, np.int32),
        heads=np.zeros(2 * channels, np.int32),
        shown=np.zeros(channels, np.int32),
        sources=np.zeros(words_for(nodes), np.uint64),
        counters=np.zeros(1, COUNTERS),
    )
