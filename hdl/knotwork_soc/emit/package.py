"""Files of a system: Verilog, lint waivers, FuseSoC core, headers of addresses, manifest."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from knotwork.emit.addresses import Number, address_numbers, header_files
from knotwork.emit.constraints import constraint_files
from knotwork.emit.flows import FLOWS, CoreParts
from knotwork.emit.flows.constraints import with_hints
from knotwork.emit.flows.fusesoc import core_text
from knotwork.emit.package import Files, network_files
from knotwork.emit.source import file_list
from knotwork.emit.verilog import waivers_of
from knotwork.errors import ConfigurationError
from knotwork.files import AnyPath, as_path

from ..system import System
from .clock_paths import clock_paths
from .manifest import system_manifest
from .ports import clock_ports, mesochronous_clocks
from .testbench import system_testbench_files
from .top import system_description, system_top
from .verilog import system_header, system_source


def system_core(system: System, parts: Iterable[CoreParts], files: Sequence[str]) -> str:
    """FuseSoC core description (CAPI2) of a system's Verilog files, and of these parts."""
    header, description = system_header(system, "#"), system_description(system)
    return core_text(system.name, header, description, files, parts)


def system_waivers(system: System, files: Sequence[str]) -> str:
    """Verilator control file (``.vlt``) for a system's Verilog files, a reason a waiver."""
    crosses = any(node.has_own_clock for node in system.nodes)
    return waivers_of(system_header(system, "//"), files, _OF_CLOCKS if crosses else None)


_OF_CLOCKS = {
    "SYNCASYNCNET": "a crossing's reset is synchronous at one of its clocks, and begins at once at "
    "the other"
}


def system_numbers(system: System) -> Iterator[Number]:
    """What headers name: addresses of the nodes with streams, and the regions of the map."""
    streams = [node.index for node in system.nodes if node.is_stream]
    yield from address_numbers(system.network, streams)
    width = system.bus.address_width
    for name, region in system.map.items():
        what = f"of node {region.node}"
        yield Number(f"{name}_BASE".upper(), region.base, width, f"first address {what}")
        yield Number(f"{name}_SIZE".upper(), region.size, width + 1, f"bytes {what}")


def _constraints(system: System) -> dict[str, str]:
    """Constraint files; none of a system with one clock."""
    clocks, close = [clock for clock, _ in clock_ports(system)], mesochronous_clocks(system)
    if len(clocks) == 1:
        return {}
    return constraint_files(system.name, clocks, clock_paths(system), mesochronous=close)


def _require_flows(system: System, flows: Sequence[str]) -> None:
    """Refuse flows that go with a network alone."""
    for option in (f"--for {flow}" for flow in flows if FLOWS[flow].of_top is None):
        key, value = next(iter(system.told.items()))
        raise ConfigurationError(
            f"{system.name}: {option} must go with a network whose nodes have its own streams, "
            f"not {key}={value}"
        )


def write_system(
    system: System,
    directory: AnyPath,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
    flows: Sequence[str] = (),
    hints: bool = False,
    split: bool = False,
) -> list[Path]:
    """Write Verilog, waivers, FuseSoC core, headers and manifest into `directory`, made if missing.

    A system of several clocks also has constraints for what places it. The files of a system whose
    nodes have the network's own streams are those of the network.

    Parameters
    ----------
    system : System
        What to write.
    directory : str or PathLike
        Where to.
    keep_hierarchy, testbench, flows, hints, split
        As of `write_network`; flows of a network's own ports only of a network alone.

    Returns
    -------
    list of Path
        Files that were written.

    Raises
    ------
    ConfigurationError
        The directory cannot be written, or what only networks alone have is asked for.
    DeadlockError
        The system failed its deadlock check.
    """
    folder = as_path(directory, "a folder")
    return system_files(
        system,
        keep_hierarchy=keep_hierarchy,
        testbench=testbench,
        flows=flows,
        hints=hints,
        split=split,
    ).write(folder)


def system_files(
    system: System,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
    flows: Sequence[str] = (),
    hints: bool = False,
    split: bool = False,
) -> Files:
    """What `write_system` writes.

    Raises
    ------
    ConfigurationError
        What only networks alone have is asked for.
    DeadlockError
        The system failed its deadlock check.
    """
    if system.is_plain:
        return network_files(
            system.network,
            keep_hierarchy=keep_hierarchy,
            testbench=testbench,
            flows=flows,
            hints=hints,
            split=split,
        )
    _require_flows(system, flows)
    chosen = [FLOWS[name] for name in dict.fromkeys(flows)]
    source = system_source(system, keep_hierarchy=keep_hierarchy)
    if hints:
        source = source.altered(with_hints)
    verilog = source.files(split=split)
    names = [*verilog]
    top = system_top(system, names)
    parts = [flow.top_core(top) for flow in chosen if flow.top_core is not None]
    texts = {
        **verilog,
        **(file_list(system.name, names) if split else {}),
        f"{system.name}.vlt": system_waivers(system, names),
        f"{system.name}.core": system_core(system, parts, names),
        **header_files(system.name, system_header(system, "//"), system_numbers(system)),
        "manifest.json": json.dumps(system_manifest(system, names), indent=1) + "\n",
    }
    texts |= _constraints(system)
    for of_top in (flow.of_top for flow in chosen):
        texts |= of_top(top) if of_top is not None else {}
    return Files(texts, system_testbench_files(system) if testbench else {})
