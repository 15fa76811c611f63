"""`datasheet`: networks as a page that one looks at."""

import shlex
from functools import reduce
from pathlib import Path

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import (
    as_json,
    require_distinct,
    several_networks,
    start_work,
    work_limit,
)
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Work


@verb(
    examples=[
        "datasheet hypercube n=4",
        "datasheet moebius n=4 -o moebius.html",
        "datasheet wk:w=3,levels=2 tcpg:k=1,m=1 --curve 0.1:0.5:0.2",
        "datasheet hypercube n=3 --live",
    ],
    writes="A page of HTML that needs no other file, build/NAME.html or FILE. Prints the path.",
)
@several_networks
@click.option(
    "-o",
    "file",
    type=Path,
    metavar="FILE",
    help="Page, .html [build/<name>.html].",
)
@click.option(
    "--curve",
    metavar="FIRST:LAST:STEP",
    help="Measure latency at these loads on the golden model, and draw the curve [not measured].",
)
@click.option("--live", is_flag=True, help="Run the networks' Verilog in the page.")
@work_limit
@as_json
def datasheet(
    *, words: tuple[str, ...], file: Path | None, curve: str | None, live: bool, as_json: bool
) -> None:
    """Write a web page of networks: drawing, routes, facts, ports.

    The page sends no requests and works from a file. Click two nodes to see a packet's path;
    broadcasts and schedules play step by step, and every number has its command beside it. Several
    networks are compared. With --live, they carry traffic in the page at a load that you choose;
    this needs the wheel ziglang.
    """
    if file is not None and file.suffix != ".html":
        raise ConfigurationError(f"datasheet: FILE must end in .html, not {str(file)!r}")
    from knotwork.designs import read_network
    from knotwork.files import write_file
    from knotwork.network_words import split_networks

    from ..datasheet.document import write_datasheet
    from ..datasheet.tables import curve_sweep
    from ..estimates import datasheet_work, live_work, sweep_work
    from ..live.module import require_live
    from ..live.webassembly import require_compiler

    nets = split_networks(words).networks or [[]]
    networks = [read_network(net) for net in nets]
    require_distinct(networks)
    spelled = [shlex.join(net) for net in nets]
    sweep = None if curve is None else curve_sweep(networks, spelled, curve)
    work = reduce(Work.then, map(datasheet_work, networks))
    if live:
        require_compiler()
        for network in networks:
            require_live(network)
            work = work.then(live_work(network))
    others = f" and {len(networks) - 1} more" if len(networks) > 1 else ""
    if sweep is not None:
        work = work.then(sweep_work(sweep))
    start_work(f"datasheet {networks[0].name}{others}", work)
    options = "" if curve is None else f" --curve {curve}"
    options += " --live" if live else ""
    path = file or Path("build") / f"{'_'.join(network.name for network in networks)}.html"
    command = f"knotwork datasheet {' '.join(spelled)}{options} -o {shlex.quote(str(path))}"
    page = write_datasheet(
        networks, spelled, command=command, sweep=sweep, rates=curve or "", live=live
    )
    write_file(path, page)
    if as_json:
        output.print_json({"file": str(path), "bytes": len(page.encode())})
    else:
        click.echo(str(path))
