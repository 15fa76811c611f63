"""Network that runs in its page: its Verilog as WebAssembly."""

from knotwork.network import Network

from ..live.module import live_module
from .content import Data


def running(network: Network, words: str) -> Data:
    """Module of a network, what the page must know of it, and who runs the same load elsewhere.

    Raises
    ------
    ConfigurationError
        A network that cannot run in a page.
    ToolError
        Yosys or Zig's C++ compiler is missing or failed.
    """
    live = live_module(network)
    return {
        "command": f"knotwork simulate {words}",
        "module": live.packed,
        "description": live.description,
    }
