"""`simulate`: traffic through a network's Verilog and golden model."""

import shlex
from dataclasses import Field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import (
    IntegerType,
    OneOf,
    as_json,
    file_option,
    network_words,
    start_work,
    work_limit,
)
from knotwork.errors import CheckFailedError, ConfigurationError

from ..check.engines import BITSTREAM, ENGINES

if TYPE_CHECKING:
    from knotwork.network import Network

    from ..check.result import SimulationResult
    from ..traffic.keys import Traffic


def _traffic_keys() -> dict[str, Field]:
    from ..traffic.keys import Traffic

    return Traffic.keys()


@verb(
    examples=[
        "simulate hypercube n=3 rate=0.3 --engine model",
        "simulate moebius:n=3 traffic=complement packets=500 length=1-8",
        "simulate mesh x=2 y=2 packets=50 --trace build/mesh.vcd",
        "simulate ring n=8 rate=0.4 --engine model --trace build/ring.html",
        "simulate hypercube n=1 packets=50 --engine netlist --board icebreaker",
    ],
    writes="A table of what became of the packets, their latency and the throughput. Verilator's "
    "builds are kept in a cache; doctor shows where.",
    keys={"Traffic": _traffic_keys},
)
@network_words
@click.option(
    "--engine",
    type=OneOf((*ENGINES, BITSTREAM)),
    default="both",
    show_default=True,
    help="Run the Verilog, the golden model, or both and compare them; netlist: compare the "
    "netlist of synthesis for a board; bitstream: run the self-test from the bits of a bitstream.",
)
@click.option("--board", metavar="NAME", help="Board of the netlist or the bitstream.")
@file_option(
    "--trace",
    "trace_file",
    help="Write a waveform, .vcd or .fst, and a GTKWave save file beside it; or the paths and "
    "waits of the packets: .html, a page, or .json, a trace for Perfetto.",
)
@file_option(
    "--record",
    "record_file",
    metavar="FILE.csv",
    help="Write the offered packets: cycle, source, destination, length. traffic=replay "
    "replay=FILE.csv sends them again.",
)
@file_option(
    "--schedule",
    "schedule_file",
    help="For routing=scheduled: rounds, as `knotwork schedule --json` writes them.",
)
@click.option(
    "--repeat",
    "times",
    type=IntegerType(1, 100_000),
    help="Run this many times, with seed, seed + 1, ..., and answer with sums and means.",
)
@click.option("--histogram", is_flag=True, help="Print a histogram of the packets' latencies.")
@file_option(
    "--packets",
    "packets_file",
    help="Write a row per packet, .csv or .parquet: its cycles, hops and fate.",
)
@file_option(
    "--links",
    "links_file",
    help="Write a row per channel, .csv or .parquet: its flits, and flits per cycle.",
)
@work_limit
@as_json
def simulate(  # noqa: PLR0917 - click names them
    words: tuple[str, ...],
    engine: str,
    board: str | None,
    schedule_file: Path | None,
    times: int | None,
    histogram: bool,
    packets_file: Path | None,
    links_file: Path | None,
    as_json: bool,
    **during: Path | None,
) -> None:
    """Send traffic through a network's Verilog and golden model.

    Words with a key of the traffic set the traffic; all others belong to the network.
    """
    from ..check import repeat as repetition
    from ..check import simulate as simulation
    from ..columns import check_table
    from ..estimates import simulate_work

    network, traffic = simulation.split_words(words)
    if engine == BITSTREAM or traffic.is_collective:
        _run_without_packets(network, traffic, engine, board, as_json=as_json)
        return
    simulation.check_engine(engine, board, during["trace_file"])
    if times is not None and any((*during.values(), schedule_file, packets_file)):
        raise ConfigurationError(
            "simulate: --repeat must not be used with --trace, --record, --schedule or --packets"
        )
    if links_file is not None:
        simulation.require_counts(network, engine, "--links")
    for file in (packets_file, links_file):
        if file is not None:
            check_table(file)
    trace = during["trace_file"]
    in_cocotb = trace is not None and not simulation.is_of_packets(trace)
    work = simulate_work(network, traffic, engine=engine, times=times or 1, in_cocotb=in_cocotb)
    start_work(f"simulate {network.name}", work)
    if times is None:
        rounds = simulation.read_schedule(network, schedule_file) if schedule_file else None
        result = simulation.simulate(
            network, traffic, engine=engine, board=board, rounds=rounds, **during
        )
    else:
        result = repetition.repeat(network, traffic, times=times, engine=engine, board=board)
    if simulation.is_of_packets(during["trace_file"]):
        schedule = [] if schedule_file is None else ["--schedule", str(schedule_file)]
        spelled = ["knotwork", "simulate", *words, "--engine", engine, *schedule]
        result = _traced(during["trace_file"], network, result, spelled)
    if packets_file is not None and result.packets is not None:
        result.packets.write(packets_file)
    if links_file is not None and result.links is not None:
        result.links.table.write(links_file)
    if as_json:
        output.print_json(result.as_json())
    else:
        _print(result, histogram=histogram)
    _require_right(result)


def _traced(
    path: Path, network: "Network", result: "SimulationResult", spelled: list[str]
) -> "SimulationResult":
    """Result that names the trace of packets, which is written here.

    `spelled` is the command line without its options of files.
    """
    from ..trace import write_trace

    write_trace(path, network, result, command=shlex.join([*spelled, "--trace", str(path)]))
    return replace(result, trace=path)


def _run_without_packets(
    network: "Network", traffic: "Traffic", engine: str, board: str | None, *, as_json: bool
) -> None:
    """Run the self-test from the bits, or collectives."""
    if engine == BITSTREAM:
        _run_bits(network, traffic, board, as_json=as_json)
    else:
        _run_collectives(network, traffic, engine, as_json=as_json)


_WITH_BITS = {"words", "engine", "board", "as_json", "limit"}
"""Parameters that go with `BITSTREAM`."""


def _run_bits(network: "Network", traffic: "Traffic", board: str | None, *, as_json: bool) -> None:
    """Run the self-test from the bits, and print its report; refuse what it cannot heed."""
    from ..check.self_test import simulate_bits
    from ..traffic.keys import Traffic

    _refuse_others(_WITH_BITS, "--engine bitstream")
    if traffic != Traffic():
        raise ConfigurationError(
            "simulate: --engine bitstream must be used without keys of the traffic: the self-test "
            "sends packets of its own"
        )
    result = simulate_bits(network, board)
    if as_json:
        output.print_json(result.as_json())
    else:
        output.facts(network.name, {name: str(fact) for name, fact in result.as_json().items()})
    if not result.passed or result.counts["delivered"] != result.counts["injected"]:
        raise CheckFailedError(
            f"{network.name}: the self-test must pass and receive all that it sent, but said: "
            f"{result.line}"
        )


_WITH_COLLECTIVES = {"words", "engine", "as_json", "limit"}
"""Parameters that go with collectives."""


def _run_collectives(network: "Network", traffic: "Traffic", engine: str, *, as_json: bool) -> None:
    """Run collectives, and print what became of them; refuse what it cannot heed."""
    from ..collectives.simulate import simulate_collectives

    _refuse_others(_WITH_COLLECTIVES, f"traffic={traffic.traffic}")
    result = simulate_collectives(network, traffic, engine=engine)
    facts = result.as_json()
    if as_json:
        output.print_json(facts)
    else:
        apart = ("groups", "first_fault")
        shown = {key.replace("_", " "): facts[key] for key in facts if key not in apart}
        output.facts(network.name, {name: output.text(fact) for name, fact in shown.items()})
        columns = list(result.groups[0])
        output.table("groups", columns, [list(group.values()) for group in result.groups])
        if result.first_fault is not None:
            click.echo(f"first fault\n{result.first_fault}")
    if result.faults:
        counts = ", ".join(f"{name} {count}" for name, count in result.faults.items())
        raise CheckFailedError(
            f"{network.name}: collectives must give the answers of NumPy and match their model, "
            f"not {counts}; seed={result.seed} repeats it"
        )


def _refuse_others(allowed: set[str], what: str) -> None:
    """Refuse options that do not go with an engine or with traffic."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if not parameter.expose_value:  # --plugin defines what words name
            continue
        origin = context.get_parameter_source(parameter.name or "")
        if parameter.name not in allowed and origin is ParameterSource.COMMANDLINE:
            raise ConfigurationError(f"simulate: {what} must be used without {parameter.opts[0]}")


def _print(result: "SimulationResult", *, histogram: bool) -> None:
    """Print a result as people read it."""
    output.facts(result.network, _cells(result))
    if histogram:
        bars = result.latency_histogram.bars()
        output.table("latency", ("cycles", "packets", ""), bars)
    if result.first_fault is not None:
        click.echo(f"first fault\n{result.first_fault}")


def _require_right(result: "SimulationResult") -> None:
    """Refuse a result with a fault."""
    if result.faults or result.first_fault is not None:
        counts = ", ".join(f"{name} {count}" for name, count in result.faults.items())
        raise CheckFailedError(
            f"{result.network}: a simulation must lose nothing and match its model, not "
            f"{counts or 'go wrong at all'}; seed={result.seed} repeats it"
        )


_LISTED_APART = ("network", "latency_histogram", "links", "first_fault")
"""Fields of the answer that have no cell of their own in the table."""
_LATENCIES = ("latency", "round_trip")

_UNITS = {
    "cycles": "cycles",
    "latency": "cycles",
    "network_cycles_ci95": "network cycles",
    "throughput": "flits/node/cycle",
}


def _cells(result: "SimulationResult") -> dict[str, object]:
    """Facts of a result with their units, and a row per figure of the latency and the links."""
    from ..check.result import FATES

    units = _UNITS | dict.fromkeys(FATES, "packets")
    cells: dict[str, object] = {}
    for key, value in result.as_json().items():
        if key in _LATENCIES and isinstance(value, dict):
            for name, figure in value.items():
                cells[f"{key.replace('_', ' ')} {name}"] = _with_unit(figure, "cycles")
        elif key == "classes":
            for each in result.classes:
                inside, name = each.network_latency, f"class {each.number}"
                cells |= {
                    f"{name} throughput": _with_unit(each.throughput, "flits/node/cycle"),
                    f"{name} network latency": _with_unit(
                        f"mean={output.text(inside.mean)} p99={output.text(inside.p99)} "
                        f"p99.9={output.text(each.network_p999)} max={output.text(inside.max)}",
                        "cycles",
                    ),
                }
        elif key == "links" and result.links is not None:
            for name, figure in (("mean", result.links.mean), ("max", result.links.max)):
                cells[f"link load {name}"] = _with_unit(figure, "flits/cycle")
        elif key not in _LISTED_APART:
            cells[key.replace("_", " ")] = _with_unit(value, units.get(key, ""))
    return cells


def _with_unit(value: object, unit: str) -> str:
    """Cell with a unit, where there is a value."""
    text = output.text(value)
    return text if value is None else f"{text} {unit}".rstrip()
