"""What a flow of other tools gets: files beside the Verilog, and lines of the FuseSoC core."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...network import Network
from .network_top import network_top
from .top import Top


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Files that a tool of someone else's wants beside the Verilog.

    Parameters
    ----------
    of_top : callable, optional
        Text of each file, by its name, of any top.
    of_network : callable, optional
        The same of a network, where the files are of a network's own ports.
    core : callable, optional
        What the FuseSoC core of a network says of them.
    top_core : callable, optional
        What the core of any other top says of those of `of_top`.
    """

    of_top: Callable[[Top], dict[str, str]] | None = None
    of_network: Callable[[Network], dict[str, str]] | None = None
    core: Callable[[Network], "CoreParts"] | None = None
    top_core: Callable[[Top], "CoreParts"] | None = None

    def files(self, network: Network, verilog: Sequence[str] = ()) -> dict[str, str]:
        """Text of each file, by its name, of a network with these Verilog files."""
        if self.of_network is not None:
            return self.of_network(network)
        return {} if self.of_top is None else self.of_top(network_top(network, verilog))


@dataclass(frozen=True, kw_only=True)
class CoreParts:
    """Parts of a FuseSoC core.

    Parameters
    ----------
    filesets : dict
        Lines of each file set: a file and its type, by its name.
    targets : str
        Targets, as lines of YAML.
    """

    filesets: dict[str, dict[str, str]]
    targets: str = ""
