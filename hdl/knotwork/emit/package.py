"""Files that users get: Verilog, lint waivers, FuseSoC core, headers of addresses, manifest."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..files import AnyPath, as_path, write_files
from ..network import Network
from .addresses import address_numbers, header_files
from .collective_headers import collective_headers
from .flows import FLOWS
from .flows.constraints import with_hints
from .flows.fusesoc import fusesoc_core
from .manifest import manifest
from .source import file_list
from .testbench import contents_files, testbench_files
from .verilog import header, lint_waivers, network_source


def write_network(
    network: Network,
    directory: AnyPath,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
    flows: Sequence[str] = (),
    hints: bool = False,
    split: bool = False,
) -> list[Path]:
    """Write Verilog, waivers, FuseSoC core, headers and manifest into `directory`, made if missing.

    Parameters
    ----------
    keep_hierarchy : bool
        That of `network_verilog`.
    testbench : bool
        Whether to write a cocotb testbench too. It is the user's own from then on: a file that is
        there already stays as it is; but for what the testbench needs to know of the network.
    flows : sequence of str
        Tools of other people, from `FLOWS`, whose files are written too.
    hints : bool
        Whether the Verilog has attributes for synthesis, see `flows.hints`.
    split : bool
        Whether each module is a file of its own, with a list of the files, ``<name>.f``.

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
    folder = as_path(directory, "a folder")
    texts = network_files(
        network,
        keep_hierarchy=keep_hierarchy,
        testbench=testbench,
        flows=flows,
        hints=hints,
        split=split,
    )
    return texts.write(folder)


class Files(NamedTuple):
    """Texts of files, by name.

    Members
    -------
    generated : dict of str to str
        Those that are written anew each time.
    user_owned : dict of str to str
        Those that are the user's own once they are written.
    """

    generated: dict[str, str]
    user_owned: dict[str, str]

    def write(self, directory: AnyPath) -> list[Path]:
        """Write them into a folder, made if missing, and name those that were written."""
        directory = as_path(directory, "a folder")
        files = {directory / name: text for name, text in self.generated.items()}
        files |= absent_user_files(directory, self.user_owned)
        write_files(files)
        return list(files)


def network_files(
    network: Network,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
    flows: Sequence[str] = (),
    hints: bool = False,
    split: bool = False,
) -> Files:
    """What `write_network` writes.

    Raises
    ------
    DeadlockError
        The network failed its deadlock check.
    """
    chosen = [FLOWS[name] for name in dict.fromkeys(flows)]
    parts = [flow.core(network) for flow in chosen if flow.core is not None]
    source = network_source(network, keep_hierarchy=keep_hierarchy)
    if hints:
        source = source.altered(with_hints)
    verilog = source.files(split=split)
    names = [*verilog]
    texts = {
        **verilog,
        **(file_list(network.name, names) if split else {}),
        f"{network.name}.vlt": lint_waivers(network, names),
        f"{network.name}.core": fusesoc_core(network, parts, names),
        **header_files(
            network.name,
            header(network, "//"),
            address_numbers(network, range(network.topology.nodes)),
        ),
        **collective_headers(network.name, network, header(network, "//")),
        "manifest.json": json.dumps(manifest(network, names), indent=1) + "\n",
    }
    for flow in chosen:
        texts |= flow.files(network, names)
    texts |= contents_files(network) if testbench else {}
    return Files(texts, testbench_files(network) if testbench else {})


def absent_user_files(directory: Path, texts: Mapping[str, str]) -> dict[Path, str]:
    """Those of the user's own files in a folder that are not there yet."""
    own = {directory / name: text for name, text in texts.items()}
    return {path: text for path, text in own.items() if not path.exists()}
