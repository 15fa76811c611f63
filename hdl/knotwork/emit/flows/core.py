"""FuseSoC core (CAPI2) of a network's Verilog, and of what flows add to it."""

from collections.abc import Iterable, Sequence

from ... import __version__
from ...network import Network
from ...version import public
from ..addresses import header_names
from ..source import verilog_files
from ..verilog import header
from .flow import CoreParts


def fusesoc_core(
    network: Network, parts: Iterable[CoreParts] = (), files: Sequence[str] = ()
) -> str:
    """FuseSoC core description (CAPI2) of the network's Verilog, and of these parts.

    Parameters
    ----------
    network : Network
        What the Verilog is of.
    parts : iterable of CoreParts
        What flows add.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    description = f"Network-on-chip, {network.topology.nodes} nodes, AXI4-Stream"
    verilog = verilog_files(network.name, files)
    return core_text(network.name, header(network, "#"), description, verilog, parts)


def core_text(
    name: str,
    header: str,
    description: str,
    verilog: Sequence[str],
    parts: Iterable[CoreParts] = (),
) -> str:
    """FuseSoC core description (CAPI2) of Verilog files, and of these parts.

    Parameters
    ----------
    name, header, description : str
        Its top; comments at its head; what it is, for people.
    verilog : sequence of str
        Names of the Verilog files.
    parts : iterable of CoreParts
        What flows add.
    """
    added, (_, for_verilog) = tuple(parts), header_names(name)
    filesets = [
        line
        for part in added
        for fileset, files in part.filesets.items()
        for line in (
            f"  {fileset}:\n    files:\n",
            *(f"      - {file}: {{file_type: {kind}}}\n" for file, kind in files.items()),
        )
    ]
    return (
        "CAPI=2:\n"
        + header
        + f"name: knotwork:noc:{name}:{public(__version__)}\n"
        + f"description: {description}\n"
        + "filesets:\n"
        + "  rtl:\n"
        + "    files:\n"
        + "".join(f"      - {file}: {{file_type: verilogSource}}\n" for file in verilog)
        + f"      - {for_verilog}: {{file_type: verilogSource, is_include_file: true}}\n"
        + f"  waivers:\n    files:\n      - {name}.vlt: {{file_type: vlt}}\n"
        + "".join(filesets)
        + "targets:\n"
        + "  default: &default\n"
        + "    filesets: [rtl]\n"
        + f"    toplevel: {name}\n"
        + "  lint:\n"
        + "    <<: *default\n"
        + "    default_tool: verilator\n"
        + "    filesets: [rtl, waivers]\n"
        + "    tools: {verilator: {mode: lint-only, verilator_options: [-Wall]}}\n"
        + "".join(part.targets for part in added)
    )
