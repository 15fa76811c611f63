"""Registers and memories of the golden model: named arrays, as compiled loops take them."""

from typing import Any, NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.topology import LOCAL

NONE = -1
"""Number of a packet, slot or channel that is not there."""


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
