"""What routers of a batch say to each other, and what they and their controller do."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import Out

from ...network import Network
from ..networks import gates_of


def message_layout(network: Network) -> data.StructLayout:
    """Beat of a packet on its way; destination and source stay the same for all its beats."""
    address = network.topology.address_width
    return data.StructLayout(
        {"data": network.hardware.data_width, "destination": address, "source": address}
    )


def entry_layout(network: Network) -> data.StructLayout:
    """Entry of the jump table for a dimension: {jump, buddy}, the buddy n for the constant 0."""
    n = network.topology.address_width
    return data.StructLayout({"buddy": range(n + 1), "jump": 1})


def config_signature(network: Network) -> wiring.Signature:
    """Stream of a jump table: n entries, dimension n - 1 first, `last` with that of dimension 0."""
    return stream.Signature(data.StructLayout({"entry": entry_layout(network), "last": 1}))


def exchange_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender.

    Members
    -------
    message : Out(message_layout)
        Packet that the receiver may take in this step.
    asks : Out(1)
        The sender would exchange packets; both ends of a link must.
    """
    return wiring.Signature({"message": Out(message_layout(network)), "asks": Out(1)})


def control_layout(network: Network) -> data.StructLayout:
    """What the controller tells all routers.

    Members
    -------
    running : 1
        A step is under way.
    last : 1
        Its last clock: with it the step ends.
    done : 1
        The batch ends with this clock.
    entry : entry_layout
        Entry of the jump table.
    loads : n
        Dimension, one-hot, that the entry is for; 0 while there is none.
    schedule : sequencer's layout
        What the network does in this step.
    """
    return data.StructLayout(
        {
            "running": 1,
            "last": 1,
            "done": 1,
            "entry": entry_layout(network),
            "loads": network.topology.address_width,
            "schedule": gates_of(network).SEQUENCERS[network.routing.name].layout(network),
        }
    )


def report_layout(network: Network) -> data.StructLayout:
    """What a router tells the controller.

    Members
    -------
    filled : 1
        It has a whole packet, or will with the end of this clock.
    flags : flag_width
        Its flags.
    """
    return data.StructLayout({"filled": 1, "flags": network.routing.flag_width})
