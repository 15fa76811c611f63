"""What the manifest says of batches: the jump table, the protocol, flags and status."""

from ..network import Network
from ..parameters import BatchParameters
from ..routing.batch import BatchRouting
from .ports import CONFIG_PREFIX, STATUS_PORT, config_widths, status_width


def manifest_sections(network: Network) -> dict[str, object]:
    """How a network of batches is configured and used, and how it reports faults."""
    routing = BatchRouting.of(network.routing)
    n, words = network.topology.address_width, BatchParameters.of(network.hardware).words
    buddy = config_widths(network)["tdata"] - 1
    return {
        "config": {
            "stream": CONFIG_PREFIX,
            "beats": n,
            "format": f"a beat a dimension, that of dimension {n - 1} first and of 0, with tlast, "
            f"last; tdata is {{jump, buddy}}: bit {buddy} the jump bit, bits {buddy - 1}..0 the "
            f"buddy's number, {n} for none (`knotwork schedule` tells both)",
            "when": "at any time; it is not taken while a batch runs, and stays for all that "
            "follow. With too few beats, too many, or a buddy above the greatest, no batch starts "
            "before a right one has come",
        },
        "batch": {
            "words": words,
            "steps": routing.steps,
            "cycles": routing.steps * words,
            "protocol": f"every node sends one packet of {words} beats (to itself, if it has "
            "nothing to send); when the last one is there, all move, and every node gets one. If "
            "its last beat is taken at clock t, m_axis_*_tvalid is first high at clock "
            f"t + 1 + {routing.steps * words}",
            "refused": f"a packet of fewer or more than {words} beats",
        },
        "flags": {
            "tuser": "{F3, F2, F1, WRONG}, valid with every beat of m_axis",
            "WRONG": "the packet is not for this node",
            "F1": "the node and its neighbour did not agree in a first exchange: the table was "
            "made for another permutation",
            "F2": "the node had a packet for another place of its cycle when all were sorted",
            "F3": "the node and its neighbour did not agree in a second exchange",
            "meaning": "F1, F2 and F3 are local: they may be clear at a node with a wrong packet",
        },
        "status": {
            "port": STATUS_PORT,
            "width": status_width(network),
            "format": "{no valid table is loaded, F3, F2, F1, WRONG}, the flags those of any node; "
            "a node's are cleared when it sends its next packet",
        },
    }
