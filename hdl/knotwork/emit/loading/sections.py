"""What the manifest tells of tables loaded in service, and of dead links."""

from ...gateware.packet.loaded.layouts import status_layout, word_layout
from ...network import Network
from ..ports import CONFIG_PREFIX, STATUS_PORT
from .fields import layout_fields


def lost_flag(network: Network) -> int:
    """Mark in `tuser` on the last beat of a packet that a dead link cut; 0 where none can die."""
    return network.loads_tables << (network.routing.flag_width + network.has_parity)


def manifest_sections(network: Network) -> dict[str, object]:
    """How tables are loaded and links declared dead, and how lost packets are told of."""
    return {
        "config": {
            "stream": CONFIG_PREFIX,
            "format": "a word per beat: with dead = 0 the channel of `output`, by which packets "
            "leave that come to `router` by the channel of `input` for `destination`, with dead = "
            "1 a dead link at the port of `output`, at this end; routers by number, ports by "
            "their place in `ports`, destinations by address. tlast ends a load",
            "fields": layout_fields(word_layout(network)),
            "ports": list(network.topology.ports),
            "when": "at any time; a link is dead at once. The rest of a load comes into force "
            "after its tlast: nodes begin no packet, the network drains, all routers swap their "
            "tables in one cycle, and links that this load did not declare dead are alive. No "
            "word is taken meanwhile. The table in force before the first load is the one "
            "generated; a reset brings it back",
        },
        "lost": {
            "tuser": f"bit {lost_flag(network).bit_length() - 1} of m_axis_*_tuser is 1 on the "
            "last beat of a packet whose rest was lost on a dead link; that beat's tdata is 0 and "
            "none of the packet's",
            "status": "lost is 1 for one cycle for every other packet that was lost on a dead "
            "link; `packet` has the addresses of its nodes",
        },
        "status": {
            "port": STATUS_PORT,
            "width": status_layout(network).size,
            "fields": layout_fields(status_layout(network)),
            "format": "waits: a load waits until the network is empty; swaps: changes with each "
            "swap; lost and packet: see `lost`",
        },
    }
