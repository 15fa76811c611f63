"""Files that users get: Verilog, lint waivers, FuseSoC core, manifest."""

import json
from pathlib import Path

from .. import __version__
from ..files import write_all
from ..network import Network
from .manifest import manifest
from .testbench import contents_files, testbench_files
from .verilog import header, lint_waivers, network_verilog


def fusesoc_core(network: Network) -> str:
    """FuseSoC core description (CAPI2) of the network's Verilog."""
    return (
        "CAPI=2:\n"
        + header(network, "#")
        + f"name: knotwork:noc:{network.name}:{__version__}\n"
        + f"description: Network-on-chip, {network.topology.nodes} nodes, AXI4-Stream\n"
        + "filesets:\n"
        + "  rtl:\n"
        + "    files:\n"
        + f"      - {network.name}.v: {{file_type: verilogSource}}\n"
        + f"  waivers:\n    files:\n      - {network.name}.vlt: {{file_type: vlt}}\n"
        + "targets:\n"
        + "  default: &default\n"
        + "    filesets: [rtl]\n"
        + f"    toplevel: {network.name}\n"
        + "  lint:\n"
        + "    <<: *default\n"
        + "    default_tool: verilator\n"
        + "    filesets: [rtl, waivers]\n"
        + "    tools: {verilator: {mode: lint-only, verilator_options: [-Wall]}}\n"
    )


def write_network(
    network: Network,
    directory: Path,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
) -> list[Path]:
    """Write Verilog, lint waivers, FuseSoC core and manifest into `directory`, made if missing.

    Parameters
    ----------
    keep_hierarchy : bool
        That of `network_verilog`.
    testbench : bool
        Whether to write a cocotb testbench too. It is the user's own from then on: a file that is
        there already stays as it is; but for what the testbench needs to know of the network.

    Returns
    -------
    list of Path
        Files that were written.

    Raises
    ------
    ConfigurationError
        The directory cannot be written.
    DeadlockError
        The network failed its deadlock check.
    """
    texts = {
        f"{network.name}.v": network_verilog(network, keep_hierarchy=keep_hierarchy),
        f"{network.name}.vlt": lint_waivers(network),
        f"{network.name}.core": fusesoc_core(network),
        "manifest.json": json.dumps(manifest(network), indent=1) + "\n",
    }
    texts |= contents_files(network) if testbench else {}
    files = {directory / name: text for name, text in texts.items()}
    if testbench:
        own = {directory / name: text for name, text in testbench_files(network).items()}
        files |= {path: text for path, text in own.items() if not path.exists()}
    write_all(files)
    return list(files)
