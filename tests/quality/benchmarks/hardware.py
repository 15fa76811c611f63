"""`make bench-hw`: area and frequency of the routers, all measured by the same flow.

For the area, the router is synthesised with its constants, as in its network. For the
frequency, every pin gets a register. ECP5 places the router out of context. iCE40 cannot, so a
chain from one pin feeds the registers of the inputs, and a second chain folds those of the outputs
into one pin.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click
from knotwork.cli import output
from knotwork.costs.estimate import RAM_LUTS, largest_kind
from knotwork.emit import network_verilog
from knotwork.emit.modules import module_verilog, planned_shell, router_verilog
from knotwork.files import write_file
from knotwork.formal import parts
from knotwork.gateware.collectives.plan import collective_module
from knotwork.gateware.router_classes import ROUTER_GATEWARE
from knotwork.network import Network, RouterKind
from knotwork.tools import FailedRunError, run_tool
from knotwork_boards.families import FAMILIES as BOARDS
from knotwork_boards.place_and_route import count_cells, read_report, shortage

from ..names import command_of_names, tracked
from . import bounds
from .cases import CASES, NETWORK, SEEDS, Case
from .saturation import FIELDS, delivered
from .wrapped_router import pins, placed, registered

FILE = Path("build", "bench", "hardware.json")
NETWORK_SEEDS = 3
"""Seeds of place and route for a whole network, which takes minutes per seed."""


@dataclass(frozen=True)
class Family:
    """FPGA family, and the flow for it."""

    synthesis: str  # Yosys' command
    place: tuple[str, ...]  # command line of nextpnr
    # Beginnings of the cells' names.
    lut: str
    ff: str
    ram: str
    carry: str
    # LUTs in a cell of a carry chain, and LUTs that a cell of RAM occupies.
    carry_luts: int
    ram_luts: int
    chained: bool  # whether the part has too few pins, so that the registers form a chain


FAMILIES = {
    "ecp5": Family(
        "synth_ecp5 -nowidelut",
        ("nextpnr-ecp5", "--85k", "--package", "CABGA381", "--out-of-context"),
        *("LUT4", "TRELLIS_FF", "TRELLIS_DPR16X4", "CCU2C", 2, RAM_LUTS),
        chained=False,
    ),
    "ice40": Family(
        "synth_ice40",
        ("nextpnr-ice40", "--hx8k", "--package", "ct256"),
        *("SB_LUT4", "SB_DFF", "SB_RAM40", "SB_CARRY", 0, 0),
        chained=True,
    ),
}


def measured_kind(network: Network, role: str | None = None) -> RouterKind:
    """Kind of router of a role; the one with the most ports and turns for None."""
    if role is not None:
        return next(kind for kind in network.router_kinds if kind.role == role)
    return largest_kind(network)


def measured_module(network: Network, role: str | None = None) -> tuple[str, str, int]:
    """Name, Verilog and address of a router, or of what stands beside the routers by its role.

    What stands at a node has the address of the last node; a controller has none to be set, nor
    has a network, nor the tree of a group of collectives, whose role is the group's name.
    """
    if role == NETWORK:
        return network.name, network_verilog(network), 0
    if role is None or role in {kind.role for kind in network.router_kinds}:
        kind = measured_kind(network, role)
        return kind.name, router_verilog(network, kind), network.topology.address(kind.router)
    for group in network.collective_groups:
        if role == group.name:
            module = collective_module(network, group)
            return module.name, module_verilog(planned_shell(network, module), module.name), 0
    name = network.module_name(role)
    part = next(part for part in parts(network) if part.name == name)
    return name, part.verilog(network, name), network.topology.address(network.topology.nodes - 1)


def router_cost(
    network: Network, family: str, *, role: str | None = None, seeds: int = SEEDS
) -> dict[str, Any]:
    """Area and frequency of a network's module of a role, of the largest router for None.

    ``dpr`` are cells of distributed RAM on ECP5, blocks on iCE40; ``luteq`` is ``lut4`` + 6 per
    cell of distributed RAM; ``fmax_mhz`` is the median of the seeds, None if the router does not
    fit.
    """
    name, text, address = measured_module(network, role)
    constants = {"address": address} | _tables(network, role)
    area, speeds = area_and_speeds(name, text, constants, family, seeds)
    return area | {
        "fmax_mhz": middle(speeds),
        "fmax_best_mhz": round(max(speeds), 1) if speeds else None,
    }


def area_and_speeds(
    name: str, text: str, constants: Mapping[str, int], family: str, seeds: int
) -> tuple[dict[str, int], list[float]]:
    """Cells of a module with these inputs constant, and its frequencies with registers around."""
    ports = pins(text, name)
    constants = {pin.name: constants[pin.name] for pin in ports if pin.name in constants}
    inner = placed(name, ports, constants, name="placed")
    free = [port for port in ports if port.name not in constants]
    outer = registered("placed", free, name="top", chained=FAMILIES[family].chained)
    area = count(text + inner, "placed", family)
    return area, frequencies(text + inner + outer, family, seeds)


def middle(speeds: Sequence[float]) -> float | None:
    """Median of frequencies, None without any."""
    return round(median(speeds), 1) if speeds else None


def _tables(network: Network, role: str | None) -> dict[str, int]:
    """Constant inputs of the largest router, its tables among them; none of others."""
    if role is not None:
        return {}
    made = ROUTER_GATEWARE[network.router_class].constants
    found = made(network, measured_kind(network).router)
    return {name: int(value.value) for name, value in found.items()}


def network_fmax(network: Network, family: str, *, seeds: int = NETWORK_SEEDS) -> float | None:
    """Frequency in MHz of a whole network with registers at its pins; None if it does not fit."""
    text = network_verilog(network)
    ports = pins(text, network.name)
    outer = registered(network.name, ports, name="top", chained=FAMILIES[family].chained)
    return middle(frequencies(text + outer, family, seeds))


def count(verilog: str, top: str, family: str) -> dict[str, int]:
    """Cells of a synthesised module: ``lut4``, ``dpr``, ``ff``, ``luteq``."""
    chosen = FAMILIES[family]
    with _tool_folder() as folder:
        _synthesise(folder, verilog, top, family)
        luts, carries, rams, flip_flops = (
            count_cells(folder / "top.json", cell)
            for cell in (chosen.lut, chosen.carry, chosen.ram, chosen.ff)
        )
    luts += chosen.carry_luts * carries
    return {"lut4": luts, "dpr": rams, "ff": flip_flops, "luteq": luts + chosen.ram_luts * rams}


@contextmanager
def _tool_folder() -> Iterator[Path]:
    """Temporary folder for the tools' files, next to the results."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FILE.parent) as folder:
        yield Path(folder)


def _synthesise(folder: Path, verilog: str, top: str, family: str) -> None:
    (folder / "top.v").write_text(verilog)
    script = (
        f"read_verilog -DSYNTHESIS top.v; {FAMILIES[family].synthesis} -top {top} -json top.json"
    )
    run_tool(["yosys", "-q", "-p", script], folder)


def frequencies(verilog: str, family: str, seeds: int) -> list[float]:
    """Fmax of module ``top`` in MHz for seeds 1, 2, ...; empty if it does not fit."""
    found = []
    if not seeds:
        return found
    with _tool_folder() as folder:
        _synthesise(folder, verilog, "top", family)
        for seed in range(1, seeds + 1):
            command = [*FAMILIES[family].place, "--json", "top.json", "--report", "report.json"]
            command += ["--freq", "250", "--timing-allow-fail", "--seed", str(seed)]
            try:
                run_tool(command, folder)
            except FailedRunError as failed:
                if shortage(failed.log) is None:
                    raise
                return []
            fmax, _ = read_report(folder / "report.json", family=BOARDS[family])
            found.append(fmax)
    return found


def row(case: Case, family: str, *, seeds: int, network_seeds: int) -> dict[str, Any]:
    """Row of a case on a family."""
    network = Network.from_word(case.net)
    seeds = min(seeds, case.seeds) * case.placed
    cost = router_cost(network, family, role=case.role, seeds=seeds)
    places_network = case.places_network and network_seeds
    network_mhz = network_fmax(network, family, seeds=network_seeds) if places_network else None
    is_router = case.role is None or case.role in {kind.role for kind in network.router_kinds}
    return {
        "name": case.name,
        "network": case.net,
        "family": family,
        **cost,
        "network_fmax_mhz": network_mhz,
        "clocks_per_hop": network.cycles_per_hop,
        "network_share": network_mhz
        and cost["fmax_mhz"]
        and round(network_mhz / cost["fmax_mhz"], 3),
        "luteq_per_mhz": cost["fmax_mhz"] and round(cost["luteq"] / cost["fmax_mhz"], 2),
        **(delivered(case.net, cost) if is_router else dict.fromkeys(FIELDS)),
        "seeds": seeds,
    }


NAMES = [case.name for case in CASES]


@command_of_names(NAMES)
@click.option("--seeds", default=SEEDS, show_default=True, type=click.IntRange(1, 1000))
@click.option("--network-seeds", default=NETWORK_SEEDS, show_default=True, type=click.IntRange(0))
@click.option("--family", "families", multiple=True, type=click.Choice(list(FAMILIES)))
@click.option("--bounded", is_flag=True, help="Measure the routers that have bounds.")
def main(
    names: tuple[str, ...],
    seeds: int,
    network_seeds: int,
    families: tuple[str, ...],
    bounded: bool,
) -> None:
    """Measure the routers, or those named, on ECP5 and iCE40; write `hardware.json`.

    `make bench-hw-pages` writes the pages' tables from them.
    """
    if bounded:
        names += tuple(name for bound in bounds.ROUTERS for name in bound.rows)
    cases = [case for case in CASES if not names or case.name in names]
    jobs = [
        (case, family)
        for case in cases
        for family in families or FAMILIES
        if family in case.families
    ]
    rows = []
    for case, family in tracked(jobs, "routers"):
        rows.append(row(case, family, seeds=seeds, network_seeds=network_seeds))
        write_file(FILE, json.dumps(rows, indent=2) + "\n")
    _print_table("Routers", [key for key in rows[0] if key not in ("network", *FIELDS)], rows)
    meshes = [line for line in rows if line[FIELDS[0]] is not None]
    if meshes:
        _print_table("Delivered throughput per area", ["name", "family", *FIELDS], meshes)
    bounds.print_verdicts(
        bounds.verdicts(bounds.ROUTERS, [line for line in rows if line["family"] == "ecp5"])
    )


def _print_table(title: str, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Print a table of rows' fields."""
    cells = [["" if line[key] is None else str(line[key]) for key in columns] for line in rows]
    output.table(title, [column.replace("_", " ") for column in columns], cells)


if __name__ == "__main__":
    main()
