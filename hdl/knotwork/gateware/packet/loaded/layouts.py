"""Words that set the routers' tables, and what crosses between routers and controller."""

from amaranth.hdl import ShapeLike
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ....network import Network
from ...parts.loaded_route import channel_layout


def word_layout(network: Network) -> data.StructLayout:
    """Word of the stream that loads tables: {dead, router, input, destination, output}.

    Members
    -------
    output : channel_layout
        Where packets leave that come by `input` for `destination`.
    destination : address_width
        Address of a node.
    input : channel_layout
        Where they come in; of the node's own port the class is 0.
    router : range(routers)
        Number of the router.
    dead : 1
        Instead, the link at the port of `output` is dead, at this router's end.
    """
    channel = channel_layout(network)
    members: dict[str, ShapeLike] = {
        "output": channel,
        "destination": network.topology.address_width,
        "input": channel,
        "router": range(network.topology.routers),
        "dead": 1,
    }
    return data.StructLayout(members)


def config_signature(network: Network) -> wiring.Signature:
    """Stream of words; with `last`, they come into force once the network is empty."""
    return stream.Signature(data.StructLayout({"entry": word_layout(network), "last": 1}))


def control_layout(network: Network) -> data.StructLayout:
    """What the controller tells all routers.

    Members
    -------
    word : word_layout
        Word that came, valid with `writes`.
    writes : 1
        `word` is to be stored.
    hold : 1
        Nodes begin no packet.
    swap : 1
        What was stored comes into force with the next cycle; no router holds a flit.
    collect : range(routers)
        Router whose lost packet is told in this cycle.
    """
    members: dict[str, ShapeLike] = {
        "word": word_layout(network),
        "writes": 1,
        "hold": 1,
        "swap": 1,
        "collect": range(network.topology.routers),
    }
    return data.StructLayout(members)


def lost_layout(network: Network) -> data.StructLayout:
    """Packet that was lost: addresses of its nodes."""
    address = network.topology.address_width
    return data.StructLayout({"destination": address, "source": address})


def report_layout(network: Network) -> data.StructLayout:
    """What a router tells the controller.

    Members
    -------
    idle : 1
        It holds no flit, and no packet that passes it has begun and not ended.
    lost : 1
        It is the one that the controller collects from, and tells of a lost packet.
    packet : lost_layout
        That packet; 0 without one.
    """
    return data.StructLayout({"idle": 1, "lost": 1, "packet": lost_layout(network)})


def status_layout(network: Network) -> data.StructLayout:
    """What the network tells of its tables and its lost packets: {packet, lost, swaps, waits}.

    Members
    -------
    waits : 1
        Words are complete, and not yet in force: the network drains.
    swaps : 1
        Changes with each swap.
    lost : 1
        High for one cycle for each packet that was lost before its head crossed a dead link.
    packet : lost_layout
        Addresses of its nodes; 0 without one.
    """
    return data.StructLayout({"waits": 1, "swaps": 1, "lost": 1, "packet": lost_layout(network)})


def outside_ports(network: Network) -> dict[str, Member]:
    """Ports that the controller adds to its network's: words in, a status out."""
    return {"config": In(config_signature(network)), "status": Out(status_layout(network).size)}
