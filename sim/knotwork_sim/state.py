"""Registers and memories of the golden model: named arrays, as compiled loops take them."""

from typing import Any, NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.topology import LOCAL

NONE = -1
"""Number of a packet, slot or channel that is not there."""

FILL, LOOK_UP, SEND, DELIVER = 0, 1, 2, 3
"""Phases of a multicast unit's store (`gateware.parts.store`)."""


class State(NamedTuple):
    """Registers and memories of all routers.

    An input channel is (router * ports + port) * vcs + vc, seen from the input; an output channel
    has the same number, seen from the output. A slot is an input channel within its router.

    Members
    -------
    front_packet, front_beat : ndarray
        Flit of each input channel that asks for its turn, packet -1 for none: the buffer's head,
        with ``pipeline=2`` the register behind the buffer. int64 and int32.
    packet, beat : ndarray
        Flits behind the front, of shape (input channels, depth), as rings.
    first : ndarray
        Head of each ring, int32.
    level : ndarray
        Flits in each buffer, int32; with ``pipeline=1`` the front is one of them.
    turn : ndarray
        Output channel within its router that the front flit asks for, int32.
    flits : ndarray
        Flits in each router, int32.
    owner, held : ndarray
        Channel arbiters: slot granted last, and whether it keeps the channel.
    output_last, output_moved : ndarray
        Switch arbiters of the outputs: virtual channel that crossed last, and the clock in which it
        did so without being a tail.
    input_last, input_moved : ndarray
        The same of the inputs.
    skid_packet, skid_beat : ndarray
        Flit kept by the skid buffer of each node (-1: none).
    escape : ndarray
        Output channel within its router by which the front flit can escape, -1 for none, int32.
    bound : ndarray
        Whether the front flit's packet keeps its turn, bool.
    """

    packet: np.ndarray
    beat: np.ndarray
    first: np.ndarray
    level: np.ndarray
    front_packet: np.ndarray
    front_beat: np.ndarray
    turn: np.ndarray
    flits: np.ndarray
    owner: np.ndarray
    held: np.ndarray
    output_last: np.ndarray
    output_moved: np.ndarray
    input_last: np.ndarray
    input_moved: np.ndarray
    skid_packet: np.ndarray
    skid_beat: np.ndarray
    escape: np.ndarray
    bound: np.ndarray


class Stores(NamedTuple):
    """Multicast units of all nodes; arrays without nodes where there are none.

    Store 0 of a node takes its own multicasts, store k what comes in class k. The ways of a node to
    its router, number 0 its own packets and k + 1 store k, share channel arbiters, one a class, and
    a switch arbiter; those to the node, number 0 the router and k store k, share one arbiter.

    Members
    -------
    phase : ndarray
        `FILL`, `LOOK_UP`, `SEND` or `DELIVER`, int8 (nodes, stores).
    copy : ndarray
        Copy in the store, int64 (nodes, stores).
    beat : ndarray
        Flits in it while filling, else the next flit of what is being sent, int32.
    sent : ndarray
        Copies sent from it, int32.
    owner, held : ndarray
        Channel arbiters, (nodes, classes): way granted last, and whether it keeps the channel.
    last, moved : ndarray
        Switch arbiters: class that crossed last, and the clock in which it did so without being a
        tail.
    eject_owner, eject_held : ndarray
        Arbiters of the ways to the nodes.
    way, way_class : ndarray
        Way by which a flit goes to the router in this clock, -1 for none, and its class.
    """

    phase: np.ndarray
    copy: np.ndarray
    beat: np.ndarray
    sent: np.ndarray
    owner: np.ndarray
    held: np.ndarray
    last: np.ndarray
    moved: np.ndarray
    eject_owner: np.ndarray
    eject_held: np.ndarray
    way: np.ndarray
    way_class: np.ndarray


class Branches(NamedTuple):
    """Broadcasts at the heads of input channels; arrays without channels where there are none.

    A branch has the number of its output port.

    Members
    -------
    pending : ndarray
        Bit mask of the branches that are not through, int64; 0 where no broadcast is.
    position : ndarray
        Next flit of each branch, int32 (channels, ports).
    out : ndarray
        Output channel of each branch within the router, int32 (channels, ports).
    label : ndarray
        Label that each copy leaves with, int64 (channels, ports).
    at : ndarray
        Flit of the packet that is shown, or is to be, int32.
    shows : ndarray
        Whether the register behind the buffer shows it (``pipeline=2``), bool.
    cursor : ndarray
        Branch to which the channel turned last, int32.
    moved : ndarray
        Bit mask of the branches that crossed in this clock, int64.
    could : ndarray
        Whether some branch of the flit shown had its output and room in this clock, bool.
    front_label, labels : ndarray
        Labels of the front flits, int64, and of those behind them, (channels, depth).
    open : ndarray
        Flits in each buffer of a broadcast that is not complete, int32.
    holds : ndarray
        Whether broadcasts stay in the channel's buffer until all branches are through, bool.
    """

    pending: np.ndarray
    position: np.ndarray
    out: np.ndarray
    label: np.ndarray
    at: np.ndarray
    shows: np.ndarray
    cursor: np.ndarray
    moved: np.ndarray
    could: np.ndarray
    front_label: np.ndarray
    labels: np.ndarray
    open: np.ndarray
    holds: np.ndarray


class Fixed(NamedTuple):
    """What does not change: graph, rule's parameters, sizes, and the copies' facts (`Copies`).

    `broadcast` marks the broadcasts, `longest` is the most flits of one; `escape` is the escape
    class, -1 for none; `stores` the stores of a node.
    """

    neighbours: np.ndarray
    peer_ports: np.ndarray
    parameters: np.ndarray
    has_skid: np.ndarray
    refused: np.ndarray
    multicast: np.ndarray
    broadcast: np.ndarray
    source: np.ndarray
    destination: np.ndarray
    start_vc: np.ndarray
    chain: np.ndarray
    length: np.ndarray
    first_copy: np.ndarray
    copies: np.ndarray
    vcs: int
    classes: int
    pipeline: int
    escape: int
    stores: int
    longest: int


class Log(NamedTuple):
    """What the nodes saw, in order of clock and node; int64 each.

    Members
    -------
    clock, node, packet, beat : ndarray
        Beats that left the network.
    refused_clock, refused_node : ndarray
        Packets refused at injection, by the clock in which `refused` is high.
    """

    clock: np.ndarray
    node: np.ndarray
    packet: np.ndarray
    beat: np.ndarray
    refused_clock: np.ndarray
    refused_node: np.ndarray


class Scratch(NamedTuple):
    """Working memory of one clock; a slot is an input or output channel of the router at hand.

    Members
    -------
    asked : ndarray
        Output channels that some front flit asks for.
    above, lowest : ndarray
        First slot that asks after the one granted last, and first of all; -1 for none.
    owner_asks : ndarray
        Whether the slot granted last asks.
    grant : ndarray
        Slot granted, -1 for none.
    can_cross : ndarray
        Output channels with a granted flit and room behind.
    offered, offer : ndarray
        Slots that were offered an output, and which output channel.
    moves : ndarray
        (input channel, output channel) of every flit that crosses in this clock, all routers.
    port_out : ndarray
        Output channel that each output port offers, -1 for none.
    arrivals : ndarray
        (input channel, packet, beat, label) of the flits that are written into buffers at the
        clock's end.
    ejected : ndarray
        (packet, beat, class) of the flit that crosses to each node, packet -1 for none.
    enters : ndarray
        Nodes whose beat the network takes in this clock.
    fronts, counts : ndarray
        Input channels with a new front flit; ``counts[0]`` is their number, ``counts[1]`` that of
        the arrivals.
    """

    asked: np.ndarray
    above: np.ndarray
    lowest: np.ndarray
    owner_asks: np.ndarray
    grant: np.ndarray
    can_cross: np.ndarray
    offered: np.ndarray
    offer: np.ndarray
    moves: np.ndarray
    port_out: np.ndarray
    arrivals: np.ndarray
    ejected: np.ndarray
    enters: np.ndarray
    fronts: np.ndarray
    counts: np.ndarray


def make_state(network: Network) -> State:
    """Make an empty network, as after reset."""
    routers, ports = network.topology.neighbours.shape
    vcs, depth = network.routing.virtual_channels, network.hardware.buffer_depth
    channels = routers * ports * vcs

    def full(size: int | tuple[int, ...], value: int, kind: Any) -> np.ndarray:
        return np.full(size, value, kind)

    return State(
        packet=full((channels, depth), NONE, np.int64),
        beat=full((channels, depth), 0, np.int32),
        first=full(channels, 0, np.int32),
        level=full(channels, 0, np.int32),
        front_packet=full(channels, NONE, np.int64),
        front_beat=full(channels, 0, np.int32),
        turn=full(channels, 0, np.int32),
        flits=full(routers, 0, np.int32),
        owner=full(channels, ports * vcs, np.int32),
        held=full(channels, 0, np.bool_),
        output_last=full(routers * ports, vcs - 1, np.int32),
        output_moved=full(routers * ports, -2, np.int64),
        input_last=full(routers * ports, vcs - 1, np.int32),
        input_moved=full(routers * ports, -2, np.int64),
        skid_packet=full(routers, NONE, np.int64),
        skid_beat=full(routers, 0, np.int32),
        escape=full(channels, NONE, np.int32),
        bound=full(channels, 0, np.bool_),
    )


def store_count(network: Network) -> int:
    """Stores of a node: one a class where there are multicasts, else none."""
    has = getattr(network.routing.options, "multicast", "no") == "yes"
    return network.routing.classes if has else 0


def make_stores(network: Network) -> Stores:
    """Make empty multicast units."""
    stores = store_count(network)
    nodes = network.topology.nodes if stores else 0

    def full(value: int, kind: Any, *size: int) -> np.ndarray:
        return np.full((nodes, *size), value, kind)

    return Stores(
        phase=full(FILL, np.int8, stores),
        copy=full(NONE, np.int64, stores),
        beat=full(0, np.int32, stores),
        sent=full(0, np.int32, stores),
        owner=full(stores + 1, np.int32, stores),
        held=full(0, np.bool_, stores),
        last=full(stores - 1, np.int32),
        moved=full(-2, np.int64),
        eject_owner=full(stores, np.int32),
        eject_held=full(0, np.bool_),
        way=full(NONE, np.int32),
        way_class=full(0, np.int32),
    )


def make_branches(network: Network) -> Branches:
    """Make what broadcasts need, as after reset."""
    routers, ports = network.topology.neighbours.shape
    vcs, depth = network.routing.virtual_channels, network.hardware.buffer_depth
    has = network.routing.broadcast is not None
    channels = routers * ports * vcs if has else 0
    holds = np.zeros((routers, ports, vcs), np.bool_)
    for number, kind in enumerate(network.router_kinds if has else ()):
        for turn in kind.broadcast_turns:
            is_branching = kind.branches(turn.input_port, turn.input_vc) != ()
            here = network.router_number == number
            holds[here, turn.input_port, turn.input_vc] = is_branching

    def full(value: int, kind: Any, *size: int) -> np.ndarray:
        return np.full((channels, *size), value, kind)

    return Branches(
        pending=full(0, np.int64),
        position=full(0, np.int32, ports),
        out=full(0, np.int32, ports),
        label=full(0, np.int64, ports),
        at=full(0, np.int32),
        shows=full(0, np.bool_),
        cursor=full(0, np.int32),
        moved=full(0, np.int64),
        could=full(0, np.bool_),
        front_label=full(0, np.int64),
        labels=full(0, np.int64, depth),
        open=full(0, np.int32),
        holds=holds.ravel(),
    )


def has_skid(network: Network) -> np.ndarray:
    """Whether each router's node has a skid buffer."""
    kinds = [not kind.is_plain_output(LOCAL) for kind in network.router_kinds]
    return np.array(kinds)[network.router_number]


def make_scratch(network: Network) -> Scratch:
    """Make cleared working memory."""
    routers, ports = network.topology.neighbours.shape
    slots = ports * network.routing.virtual_channels
    no, none = np.zeros(slots, np.bool_), np.full(slots, NONE, np.int32)
    return Scratch(
        asked=no.copy(),
        above=none.copy(),
        lowest=none.copy(),
        owner_asks=no.copy(),
        grant=none.copy(),
        can_cross=no.copy(),
        offered=no.copy(),
        offer=none.copy(),
        moves=np.empty((routers * ports, 2), np.int64),
        port_out=np.full(ports, NONE, np.int32),
        arrivals=np.zeros((routers * ports, 4), np.int64),
        ejected=np.full((routers, 3), NONE, np.int64),
        enters=np.zeros(routers, np.bool_),
        fronts=np.empty(2 * routers * slots, np.int64),
        counts=np.zeros(2, np.int64),
    )
