"""Layouts and links between the routers of a batch and their controller."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import Out

from ...network import Network
from ...routing.batch import BatchRouting
from ..networks import gates_of


def message_layout(network: Network) -> data.StructLayout:
    """Beat of a moving packet; destination and source are the same in all its beats."""
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
    request : Out(1)
        The sender wants to exchange packets; both ends of a link must.
    """
    return wiring.Signature({"message": Out(message_layout(network)), "request": Out(1)})


def is_distributed(network: Network) -> bool:
    """Whether every router counts the steps of a batch."""
    return BatchRouting.of(network.routing).options.is_distributed


def steps_layout(network: Network) -> data.StructLayout:
    """What a router does in a cycle.

    Members
    -------
    running : 1
        A step is under way.
    last : 1
        The step's last cycle.
    done : 1
        The batch ends with this cycle.
    entry : entry_layout
        Entry of the jump table.
    loads : n
        Dimension, one-hot, that the entry is for; 0 while there is none.
    schedule : sequencer's layout
        What the network does in this step.
    """
    sequencer = gates_of(network).SEQUENCERS[network.routing.name]
    return data.StructLayout(
        {
            "running": 1,
            "last": 1,
            "done": 1,
            "entry": entry_layout(network),
            "loads": network.topology.address_width,
            "schedule": sequencer.layout(network),
        }
    )


def control_layout(network: Network) -> data.StructLayout:
    """Control signals to all routers: `steps_layout`, or fewer where the routers count the steps.

    Members
    -------
    start : 1
        A batch begins with this cycle.
    entry, loads
        As in `steps_layout`.
    """
    steps = steps_layout(network)
    if not is_distributed(network):
        return steps
    table = {name: steps[name].shape for name in ("entry", "loads")}
    return data.StructLayout({"start": 1} | table)


def report_layout(network: Network) -> data.StructLayout:
    """Status of a router, for the controller.

    Members
    -------
    filled : 1
        It has a complete packet, or will have one at the end of this cycle. Where it counts the
        steps, low during a batch.
    flags : flag_width
        Its flags.
    running : 1
        A step is under way; only where it counts the steps.
    """
    members = {"filled": 1, "flags": network.routing.flag_width}
    return data.StructLayout(members | ({"running": 1} if is_distributed(network) else {}))
