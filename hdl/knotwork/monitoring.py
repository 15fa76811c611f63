"""What a network's monitor watches, its registers, and chains of waiting channels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .network import Network
from .router_kind import RouterKind
from .routing import Turn


class InputProbe(NamedTuple):
    """Input channel of a kind of router, with the turns that its packets can take."""

    port: int
    virtual_channel: int
    turns: tuple[Turn, ...]


def input_probes(kind: RouterKind) -> tuple[InputProbe, ...]:
    """Input channels of a kind of router, by port and virtual channel."""
    return tuple(
        InputProbe(
            port, vc, tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        )
        for port in kind.ports
        for vc in kind.input_vcs(port)
    )


class ProbeWidths(NamedTuple):
    """Bits of a router's probes: its channels, and the turns that packets at them may ask for."""

    channels: int
    turns: int


def probe_widths(kind: RouterKind) -> ProbeWidths:
    """Bits of the probes of a kind of router: a channel per input, and then one per node."""
    inputs = input_probes(kind)
    return ProbeWidths(
        channels=len(inputs) + len(kind.node_ports),
        turns=sum(len(one.turns) for one in inputs),
    )


def network_probes(network: Network) -> ProbeWidths:
    """Bits of the probes of all routers of a network."""
    each = [probe_widths(kind) for kind in network.router_kinds]
    all_of = [each[number] for number in network.router_number]
    return ProbeWidths(sum(one.channels for one in all_of), sum(one.turns for one in all_of))


class Channel(NamedTuple):
    """Place where flits can wait.

    Members
    -------
    number : int
        Its bit, and its counters.
    router, port : int
        Router, and the port by which flits come in; for a channel to a node, by which they leave.
    virtual_channel : int or None
        None for a channel to a node.
    node : int or None
        Node from which flits come, or to which they go; None for a link.
    turns : tuple of Turn
        Ways on, in the order of their bits; none for a channel to a node.
    first_turn : int
        Bit of the first.
    name : str
        As a reader sees it: ``from node 00 into router 0_0``, ``into router 0_1 by D, virtual
        channel 0``, ``to node 01``.
    """

    number: int
    router: int
    port: int
    virtual_channel: int | None
    node: int | None
    turns: tuple[Turn, ...]
    first_turn: int
    name: str


def monitored_channels(network: Network) -> tuple[Channel, ...]:
    """Channels of a network of packet routers, router after router."""
    return tuple(_channels(network))


def _channels(network: Network) -> Iterator[Channel]:
    topology = network.topology
    index = bit = 0
    for router in range(topology.routers):
        kind = network.router_kinds[network.router_number[router]]
        label = topology.router_label(router)
        for port, vc, turns in input_probes(kind):
            node = int(topology.local_nodes[router, port]) if port in kind.node_ports else None
            way = f"by {topology.ports[port]}, virtual channel {vc}"
            name = f"into router {label} {way}"
            if node is not None:
                name = f"from node {topology.label(node)} {name}"
            yield Channel(index, router, port, vc, node, turns, bit, name)
            index, bit = index + 1, bit + len(turns)
        for port in kind.node_ports:
            node = int(topology.local_nodes[router, port])
            name = f"to node {topology.label(node)}"
            yield Channel(index, router, port, None, node, (), bit, name)
            index += 1


WORD = 4
"""Bytes of a register."""

IDENTITY = 0x4B4E_4F31
"""What the first register holds: "KNO1" in ASCII."""

CLEAR, REARM = 0, 1
"""Bits of the register `control`."""

SINGLE = {
    "identity": ("r", "0x4B4E4F31: KNO1 in ASCII"),
    "channels": ("r", "channels that are watched"),
    "nodes": ("r", "nodes"),
    "turns": ("r", "bits of the array `wants`"),
    "control": (
        "w",
        "bit 0: all counters begin again from 0; bit 1: the watchdog forgets what it found",
    ),
    "status": ("r", "bit 0: the watchdog has found a channel, as the port `alarm` tells"),
    "bound": ("rw", "cycles that a channel may wait; 0 stops the watchdog"),
    "cycles": ("r", "cycles counted, modulo 2^32"),
}
"""Single registers in their order: access, and what they hold."""


@dataclass(frozen=True, kw_only=True)
class Array:
    """Registers of one kind, one behind the other.

    Members
    -------
    offset : int
        Byte address of the first.
    count : int
        How many.
    what : str
        What they hold.
    """

    offset: int
    count: int
    what: str


@dataclass(frozen=True, kw_only=True)
class RegisterMap:
    """Register map of a monitor.

    Members
    -------
    address_width : int
        Bits of a byte's address.
    page_width : int
        Bits of a word's address within a page: page 0 has the single registers, page 1 what the
        watchdog found, page 2 the counters.
    registers : mapping of str to int
        Byte address of each single register.
    arrays : mapping of str to Array
        Arrays that the monitor has.
    """

    address_width: int
    page_width: int
    registers: Mapping[str, int]
    arrays: Mapping[str, Array]

    def as_json(self) -> dict[str, object]:
        """Same as it stands in the manifest."""
        return {
            "registers": [
                {"name": name, "offset": offset, "access": SINGLE[name][0], "what": SINGLE[name][1]}
                for name, offset in self.registers.items()
            ],
            "arrays": [
                {
                    "name": name,
                    "offset": one.offset,
                    "count": one.count,
                    "stride": WORD,
                    "what": one.what,
                }
                for name, one in self.arrays.items()
            ],
        }


def register_map(
    *, channels: int, nodes: int, turns: int, counters: bool, watchdog: bool
) -> RegisterMap:
    """Register map of a monitor of so many channels, nodes, and turns of all channels."""
    found = {
        "stuck": (channels, "a bit per channel: it has waited for longer than the bound"),
        "waits": (channels, "a bit per channel: it waited when that was found"),
        "wants": (turns, "a bit per turn: a flit at the channel's front asked for it then"),
    }
    counts = {
        "flits": (channels, "flits that came into the channel"),
        "stalls": (channels, "cycles in which a flit waited at the channel's front"),
        "refused": (nodes, "packets of the node that were refused"),
    }
    bits = {name: (-(-count // 32), what) for name, (count, what) in found.items()}
    sizes = [len(SINGLE), *(sum(count for count, _ in page.values()) for page in (bits, counts))]
    width = (max(sizes) - 1).bit_length()
    arrays: dict[str, Array] = {}
    for page, present, entries in ((1, watchdog, bits), (2, counters, counts)):
        place = page << width
        for name, (count, what) in entries.items() if present else ():
            arrays[name] = Array(offset=WORD * place, count=count, what=what)
            place += count
    return RegisterMap(
        address_width=max(12, width + 4),
        page_width=width,
        registers={name: WORD * place for place, name in enumerate(SINGLE)},
        arrays=arrays,
    )


def network_registers(network: Network) -> RegisterMap:
    """Register map of a network's monitor."""
    widths = network_probes(network)
    return register_map(
        channels=widths.channels,
        nodes=network.topology.nodes,
        turns=widths.turns,
        counters=network.hardware.has_counters,
        watchdog=network.hardware.watchdog_bound > 0,
    )


class WaitingChain(NamedTuple):
    """Channels that wait, each for the next one.

    Members
    -------
    channels : tuple of Channel
        The first has waited for longer than the bound.
    end : str
        For what the last one waits.
    """

    channels: tuple[Channel, ...]
    end: str

    def __str__(self) -> str:
        return "\n  waits for ".join([*(one.name for one in self.channels), self.end])


def waiting_chains(
    network: Network, *, stuck: Sequence[int], waits: Sequence[int], wants: Sequence[int]
) -> list[WaitingChain]:
    """Chains behind the channels that have waited too long, each reported once.

    Parameters
    ----------
    network : Network
        Network of the monitor.
    stuck, waits, wants : sequence of int
        Words of the arrays of these names, the first lowest.
    """
    channels = monitored_channels(network)
    is_stuck, is_waiting, wanted = map(_bits, (stuck, waits, wants))
    ahead = {
        one.number: _wanted(network, channels, one, wanted)
        for one in channels
        if is_waiting >> one.number & 1
    }
    chains: list[WaitingChain] = []
    for one in channels:
        if is_stuck >> one.number & 1:
            chains += _chains_from(one, channels, ahead, ())
    # What is the rest of a longer chain is reported with it.
    tails = {chain.channels[at:] for chain in chains for at in range(1, len(chain.channels))}
    return [chain for chain in chains if chain.channels not in tails]


def _bits(words: Sequence[int]) -> int:
    return sum(word << 32 * place for place, word in enumerate(words))


def _wanted(
    network: Network, channels: Sequence[Channel], one: Channel, wanted: int
) -> list[Channel]:
    """Channels that the flit at a channel's front asks for; none at one to a node."""
    topology = network.topology
    found = []
    for place, turn in enumerate(one.turns):
        if not wanted >> one.first_turn + place & 1:
            continue
        router, port, vc = one.router, turn.output_port, turn.output_vc
        if not topology.is_local(port):
            router, port = (
                int(topology.neighbours[router, port]),
                int(topology.peer_ports[router, port]),
            )
            found += [c for c in channels if c[1:4] == (router, port, vc)]
        else:
            found += [c for c in channels if c[1:4] == (router, port, None)]
    return found


def _chains_from(
    one: Channel,
    channels: Sequence[Channel],
    ahead: dict[int, list[Channel]],
    before: tuple[Channel, ...],
) -> list[WaitingChain]:
    way = (*before, one)
    if one in before:
        return [WaitingChain(way, "itself: the network is deadlocked")]
    if one.virtual_channel is None:
        return [WaitingChain(way, "the node, whose tready is low")]
    chains: list[WaitingChain] = []
    if not ahead[one.number]:
        return [WaitingChain(way, "its turn at the front of its input, after other channels")]
    for after in ahead[one.number]:
        if after.number in ahead:
            chains += _chains_from(after, channels, ahead, way)
        else:
            rivals = [
                other.name
                for other in channels
                if other.number in ahead and other != one and after in ahead[other.number]
            ]
            also = f", for which {', '.join(rivals)} waits too" if rivals else ""
            chains.append(WaitingChain(way, f"its turn to go {after.name}{also}"))
    return chains
