"""Live modules: a network's Verilog as WebAssembly, and what a host must know of it."""

from base64 import b64encode
from pathlib import Path
from typing import Any, NamedTuple
from zlib import compress

from knotwork.emit import network_verilog
from knotwork.emit.ports import has_config, link_members
from knotwork.errors import ConfigurationError
from knotwork.network import Network

from ..rtl.driver import driven_network
from .design import CROSSINGS, channels, design_header, lengths, pattern_choices
from .webassembly import build_module

MOST_ROUTERS = 64
"""Routers of the largest network that is made live, where no other limit is given."""

STATS = (
    *("cycles", "created", "overflowed", "injected", "delivered", "refused", "astray"),
    *("flits", "latency_sum", "latency_max", "waiting", "in_flight"),
)
"""Words of the statistics, in the order of `Stats` in harness.cpp.

`created` counts the packets of sources and host; `overflowed` those that a source could not create
because its queue was full. `astray` counts flits that came to a wrong node, or in a wrong order:
always 0. `flits` counts those that left the network. `latency_sum` and `latency_max` are of the
packets delivered, from creation to the last flit's arrival. `waiting` and `in_flight` are packets
now.
"""


class LiveModule(NamedTuple):
    """Network that a page can run.

    Members
    -------
    wasm : bytes
        The module; it imports nothing.
    description : dict
        What a host must know, ready for JSON: ``network``, its name; ``nodes``; ``links``, a
        (router, port, router, port) per channel, in the order of its occupancy; ``patterns``, by
        number; ``lengths``, the fewest and most flits of a packet; ``stats``, by word.
    """

    wasm: bytes
    description: dict[str, Any]

    @property
    def packed(self) -> str:
        """The module as a page carries it: base64 of its deflate (zlib), for `live.js`."""
        return b64encode(compress(self.wasm, 9)).decode("ascii")


def live_module(network: Network, limit: int = MOST_ROUTERS) -> LiveModule:
    """Module of a network, whose payloads are 32 bits wide; that changes no cycle.

    Parameters
    ----------
    limit : int
        Most routers.

    Raises
    ------
    ConfigurationError
        A network that is larger, or whose packets need more than a destination.
    ToolError
        Yosys or Zig's C++ compiler is missing or failed.
    """
    require_live(network, limit)
    driven = driven_network(network)
    choices = pattern_choices(driven.topology)
    here = Path(__file__).parent
    harness = {
        name: (here / name).read_text(encoding="utf-8") for name in ("harness.cpp", "runtime.h")
    }
    harness["design.h"] = design_header(driven, choices)
    wasm = build_module(driven.name, network_verilog(driven, keep_hierarchy=True), harness)
    return LiveModule(
        wasm,
        {
            "network": network.name,
            "nodes": network.topology.nodes,
            "links": [list(channel) for channel in channels(network)],
            "patterns": list(choices.names),
            "lengths": list(lengths(network)),
            "stats": list(STATS),
        },
    )


def live_script() -> str:
    """Script that runs a module in a page: ``live.js``."""
    return Path(__file__).with_name("live.js").read_text(encoding="utf-8")


def require_live(network: Network, limit: int = MOST_ROUTERS) -> None:
    """Refuse a network that cannot be made live.

    Raises
    ------
    ConfigurationError
        A network that is larger, or whose packets need more than a destination.
    """
    routers = network.topology.routers
    if routers > limit:
        raise ConfigurationError(
            f"live: {network.name} must have at most {limit} routers, not {routers}"
        )
    if not network.routing.takes_packets_any_time or has_config(network):
        raise ConfigurationError(
            f"live: {network.name} must take packets at any time, without tables or rounds, not "
            f"routing={network.routing.name}"
        )
    if frozenset(link_members(network)) not in CROSSINGS:
        raise ConfigurationError(
            f"live: the links of {network.name} must be those of packet, deflection or circuit "
            "routers"
        )
