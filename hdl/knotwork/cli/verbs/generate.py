"""Verb generate: a network's Verilog and what lies beside it."""

from pathlib import Path

import click

from ...errors import ConfigurationError
from ...progress import report
from .. import output
from ..command import verb
from ..options import (
    OneOf,
    as_json,
    read_designs,
    require_distinct,
    several_networks,
    start_networks,
    work_limit,
)

FLOWS = ("fusesoc", "systemverilog", "ipxact", "litex", "vivado", "quartus")
"""Those of `emit.flows`, which is not imported for a help text."""


@verb(
    examples=[
        "generate hypercube n=2",
        "generate moebius:n=3,data_width=64 -o build/cube",
        "generate mesh x=2 y=2 name=fabric --json",
        "generate hypercube n=2 --split",
        "generate hypercube n=2 --testbench",
        "generate hypercube n=2 --for fusesoc",
    ],
    writes="In build/NAME, or in DIR: NAME.v (Verilog), NAME.vlt (settings of Verilator's lint), "
    "manifest.json and NAME.core (FuseSoC); with --split a Verilog file per module, and NAME.f, "
    "their list; with --testbench also test_NAME.py, run_NAME.py and Makefile, which are yours to "
    "edit: existing ones are kept; and contents.json for a network that is read from files. The "
    "page of flows lists what --for adds. Prints their paths.",
)
@several_networks
@click.option("-o", "directory", type=Path, metavar="DIR", help="Folder [build/<name>].")
@click.option("--name", metavar="NAME", help="Name of the top module, like the key name=.")
@click.option("--keep-hierarchy", is_flag=True, help="Make synthesis keep each router as a module.")
@click.option("--split", is_flag=True, help="Write a Verilog file per module, and a list of them.")
@click.option("--testbench", is_flag=True, help="Also write a cocotb testbench to extend.")
@click.option(
    "--hints", is_flag=True, help="Add attributes that tell synthesis how to build the memories."
)
@click.option(
    "--for",
    "flows",
    type=OneOf(FLOWS),
    multiple=True,
    help="Also write the files that this tool reads; may be given several times.",
)
@work_limit
@as_json
def generate(
    *,
    words: tuple[str, ...],
    directory: Path | None,
    name: str | None,
    keep_hierarchy: bool,
    split: bool,
    testbench: bool,
    hints: bool,
    flows: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write the Verilog, manifest and FuseSoC core of networks.

    Each of several networks gets its own folder in DIR.
    """
    designs = read_designs(words if name is None else [*words, f"name={name}"])
    from ...estimates.networks import generate_work

    start_networks("generate", [design.network for design in designs], generate_work)
    if name is not None and len(designs) > 1:
        raise ConfigurationError(
            f"generate: --name must be used with one network, not {len(designs)}"
        )
    require_distinct(designs)
    for design in designs:
        design.require_deadlock_free()
    for line in (line for design in designs for line in design.advice()):
        report(line)
    written = []
    for design in designs:
        root = directory or Path("build")
        folder = root if directory and len(designs) == 1 else root / design.name
        files = design.files(
            keep_hierarchy=keep_hierarchy,
            testbench=testbench,
            flows=flows,
            hints=hints,
            split=split,
        )
        paths = files.write(folder)
        written.append({"directory": str(folder), "files": [str(path) for path in paths]})
    if as_json:
        output.print_answers(written)
    else:
        click.echo("\n".join(file for each in written for file in each["files"]))
