"""What a packet's source gives at the ports, and what the network makes of it."""

from collections.abc import Sequence
from typing import NamedTuple

from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import chain_of

from .golden import observed_packets
from .observation import Observation, OfferedPacket


class Meaning(NamedTuple):
    """What becomes of a packet, as `Scoreboard.sent` takes it.

    Members
    -------
    to : int, tuple of int, or None
        Node, the nodes of a multicast, or None for a broadcast; a node that there is none of, if it
        must be refused.
    data : tuple of int
        Beats that they receive.
    """

    to: int | tuple[int, ...] | None
    data: tuple[int, ...]


def meaning(network: Network, packet: OfferedPacket) -> Meaning:
    """What must become of a packet that a source has given whole."""
    seen = Observation.of(network.topology.nodes)
    seen.sent[packet.source].append(packet)
    packets = observed_packets(network, seen)
    data = tuple(packet.data[int(packets.chain_length[0]) :])
    if packets.refused[0]:
        return Meaning(network.topology.nodes, data or tuple(packet.data))
    if packets.broadcast[0]:
        return Meaning(None, data)
    if packets.multicast[0]:
        return Meaning(tuple(packets.members[0]), data)
    return Meaning(int(packets.destination[0]), data)


def to_node(
    network: Network,
    source: int,
    destination: int,
    data: Sequence[int],
    word: Sequence[int] | None = None,
) -> OfferedPacket:
    """Packet to one node.

    Parameters
    ----------
    word : sequence of int or None
        Number of the upper to take on each level, where packets name their own path; the lowest
        ones for None.

    Raises
    ------
    ConfigurationError
        What is no node, or an upper that is not there.
    """
    _require_node(network, destination)
    user = _user(network, word)
    return _packet(network, source, network.topology.address(destination), user, data)


def to_nodes(
    network: Network, source: int, destinations: Sequence[int], data: Sequence[int]
) -> OfferedPacket:
    """Packet to several nodes, for networks with ``multicast=yes``.

    Raises
    ------
    ConfigurationError
        A network that has none, or destinations that it refuses.
    """
    if not network.has_multicast:
        raise ConfigurationError(
            f"{network.name}: a multicast must be used with multicast=yes, not to "
            f"{list(destinations)}"
        )
    chain = [network.topology.address(n) for n in chain_of(network.routing, source, destinations)]
    return _packet(network, source, len(chain), 1, [*chain, *data])


def to_all(network: Network, source: int, data: Sequence[int]) -> OfferedPacket:
    """Packet to all other nodes.

    Raises
    ------
    ConfigurationError
        A network that has no broadcasts.
    """
    if not network.has_broadcast:
        raise ConfigurationError(
            f"{network.name}: a broadcast must be used with a network that has broadcasts"
        )
    return _packet(network, source, 0, 1, data)


def to_address(
    network: Network, source: int, tdest: int, beats: Sequence[int], tuser: int = 0
) -> OfferedPacket:
    """Packet as it is at the ports, whatever the network makes of it."""
    return _packet(network, source, tdest, tuser, beats)


def _packet(
    network: Network, source: int, tdest: int, tuser: int, beats: Sequence[int]
) -> OfferedPacket:
    _require_node(network, source)
    width = network.hardware.data_width
    if not beats:
        raise ConfigurationError(f"{network.name}: a packet must have 1 beat or more, not 0")
    for beat in beats:
        if not 0 <= beat < 1 << width:
            raise ConfigurationError(
                f"{network.name}: a beat must be an integer of {width} bits, not {beat}"
            )
    return OfferedPacket(source, tdest, tuser, list(beats), [0] * len(beats), is_complete=True)


def _require_node(network: Network, node: int) -> None:
    if not 0 <= node < network.topology.nodes:
        raise ConfigurationError(
            f"{network.name}: a node must be an index in 0..{network.topology.nodes - 1}, "
            f"not {node}"
        )


def _user(network: Network, word: Sequence[int] | None) -> int:
    """`tuser` of a packet to one node: the uppers that it takes."""
    user = place = 0
    layout = network.routing.word_layout
    if word is not None and len(word) != len(layout):
        raise ConfigurationError(
            f"{network.name}: a word must have {len(layout)} numbers, not {list(word)}"
        )
    for upper, uppers in zip(word or (), layout.values(), strict=False):
        if upper >= len(uppers):
            raise ConfigurationError(
                f"{network.name}: an upper must be in 0..{len(uppers) - 1}, not {upper}"
            )
        user |= max(upper, 0) << place
        place += (len(uppers) - 1).bit_length()
    return user
