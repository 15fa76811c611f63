"""What a flow of other tools gets: files beside the Verilog, and lines of the FuseSoC core."""

from collections.abc import Callable
from dataclasses import dataclass

from ...network import Network


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Files that a tool of someone else's wants beside the Verilog.

    Parameters
    ----------
    files : callable
        Text of each file, by its name, of a network.
    core : callable, optional
        What the FuseSoC core says of them.
    of_top : callable, optional
        The files of any top, by its name and its header of comments; None where they are of a
        network's own ports.
    """

    files: Callable[[Network], dict[str, str]]
    core: Callable[[Network], "CoreParts"] | None = None
    of_top: Callable[[str, str], dict[str, str]] | None = None


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
