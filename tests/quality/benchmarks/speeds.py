"""`make bench`: speed of the golden model and of generation.

Each row has a yardstick, the time of a fixed NumPy loop in the same minute, so that figures from
two machines, or from two days, can be compared.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
import numpy as np
from knotwork.cli import output
from knotwork.files import write_file
from knotwork.network import Network
from knotwork_sim.model.run import run_log, run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

from ..names import tracked
from ..unchanged.trees import Tree, check_out

FOLDER = Path("build", "bench")
ROUNDS = 5
"""Runs of each measurement; the row has their median."""


class Load(NamedTuple):
    """Traffic for the model, in packets of four flits."""

    name: str  # name of the row
    net: str  # network, in one word
    cycles: int  # cycles for which the nodes send
    keys: dict[str, Any]  # other keys of the traffic


LOADS = (
    Load("hypercube_n6", "hypercube:n=6", 100_000, {}),
    Load("moebius_n6", "moebius:n=6", 100_000, {}),
    Load("moebius_n17", "moebius:n=17", 300, {}),
    Load("tcpg_k2_m2_broadcasts", "tcpg:k=2,m=2", 5_000, {"broadcast_share": 0.05}),
    Load("wk_w4_levels3_broadcasts", "wk:w=4,levels=3", 10_000, {"broadcast_share": 0.02}),
    Load(
        "moebius_n5_multicasts",
        "moebius:n=5,multicast=yes,max_packet=36,buffer_depth=36",
        20_000,
        {"multicast_share": 0.05},
    ),
)
RATE = 0.1
"""Flits that a node offers per cycle."""

BATCHES = (
    ("lcan_d2_u2_levels16", "lcan:d=2,u=2,levels=16", {"permutation": "random"}),
    ("ccc_n20_lc2", "ccc:n=20,routing=lc2,words=1", {"permutation": "complement"}),
)
GENERATED = (
    ("mesh:x=3,y=3", 9),
    ("mesh:x=2,y=2", 4),
    ("mesh:x=2,y=2,data_width=512", 4),
    ("torus:x=8,y=8", 64),
    ("torus:x=32,y=32", 1024),
    ("torus:x=128,y=128", 16_384),
)
GENERATIONS = 3
"""Runs of a generation; the row has the median of their processor seconds."""

_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def yardstick() -> float:
    """Seconds of a fixed loop: sums over a random order of four million numbers."""
    order = np.random.default_rng(1).permutation(1 << 22)
    numbers = np.arange(1 << 22)
    begin = time.process_time()
    for _ in range(4):
        numbers = numbers[order] + 1
    return time.process_time() - begin


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of a run, and its result."""
    begin = time.process_time()
    result = run()
    return time.process_time() - begin, result


def load_row(load: Load, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure the packet model: node cycles and flit moves per second of one core.

    The time is that of the simulated cycles alone. Set-up has its own column; drawing the packets
    and compiling are left out.
    """
    network = Network.from_word(load.net)
    network.require_deadlock_free()
    nodes = network.topology.nodes
    count = max(1, int(nodes * RATE / 4 * load.cycles))
    traffic = Traffic(rate=RATE, length=(4, 4), packets=count, **load.keys)
    packets = make_packets(network, traffic)
    run_log(network, traffic, make_packets(network, Traffic(packets=1)))  # compiles
    setting_up, _ = timed(lambda: run_log(network, traffic, packets, clocks=1))
    seconds, result = zip(
        *(timed(lambda: run_log(network, traffic, packets)) for _ in range(rounds)),
        strict=True,
    )
    each, run = median(seconds) - setting_up, result[-1]
    return {
        "name": load.name,
        "nodes": nodes,
        "rate": RATE,
        "clocks": run.clocks,
        "node_cycles_per_second": round(run.clocks * nodes / each),
        "flit_moves_per_second": round(run.crossings / each),
        "seconds_to_first_clock": round(setting_up, 3),
        "peak_mib": _peak_mib(resource.RUSAGE_SELF),
        "yardstick_seconds": round(yardstick(), 4),
    }


def batch_row(name: str, net: str, keys: dict[str, Any], rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure a whole permutation on a circuit-switched or batch network."""
    network = Network.from_word(net)
    traffic = Traffic(traffic="permutation", **keys)
    packets = make_packets(network, traffic)
    seconds, runs = zip(
        *(timed(lambda: run_model(network, traffic, packets)) for _ in range(rounds)), strict=True
    )
    each, run, nodes = median(seconds), runs[-1], network.topology.nodes
    return {
        "name": name,
        "nodes": nodes,
        "rate": 1.0,
        "clocks": run.clocks,
        "node_cycles_per_second": round(run.clocks * nodes / each),
        "seconds": round(each, 3),
        "network_cycles": run.network_cycles,
        "peak_mib": _peak_mib(resource.RUSAGE_SELF),
        "yardstick_seconds": round(yardstick(), 4),
    }


def generation_row(net: str, routers: int, tree: Tree | None = None) -> dict[str, Any]:
    """Measure the generation of a network's Verilog, in processes of its own.

    Parameters
    ----------
    net : str
        Network, in one word.
    routers : int
        Column of the row.
    tree : Tree or None
        Whose sources generate it; None for the ones installed.
    """
    words = [net.partition(":")[0], *net.partition(":")[2].split(",")]
    folder = FOLDER / "verilog" / "_".join(words)
    command = [str(Path(sys.executable).with_name("knotwork")), "generate", *words]
    command += ["-o", str(folder)]
    seconds = [children_seconds(command, tree) for _ in range(GENERATIONS)]
    text = "".join(file.read_text() for file in folder.glob("*.v"))
    return {
        "name": "_".join(words),
        "revision": "present" if tree is None else "base",
        "routers": routers,
        "seconds": round(median(seconds), 2),
        "peak_mib": _peak_mib(resource.RUSAGE_CHILDREN),
        "modules": len(re.findall(r"^module ", text, re.MULTILINE)),
        "lines": text.count("\n"),
        "bytes": len(text),
        "yardstick_seconds": round(yardstick(), 4),
    }


def children_seconds(words: Sequence[str], tree: Tree | None = None) -> float:
    """Processor seconds of a process, which must succeed, and of those that it starts."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    environment = {key: value for key, value in os.environ.items() if key != _NO_BYTECODE}
    environment |= {} if tree is None else tree.environment
    begin = spent()
    subprocess.run(words, check=True, capture_output=True, env=environment)
    return spent() - begin


def _peak_mib(who: int) -> int:
    return resource.getrusage(who).ru_maxrss // 1024


def in_own_process(row: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Measure a row in a fresh process, so that the peak memory is that of the row."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(row, *arguments).result()


@click.command()
@click.option("--base", metavar="REVISION", help="Generate with that revision's sources too.")
def main(base: str | None) -> None:
    """Measure all, print the tables, write a JSON file for each."""
    with tempfile.TemporaryDirectory(prefix="knotwork-") as name:
        trees: list[Tree | None] = [None]
        if base is not None:
            folder = Path(name)
            check_out(base, folder / "base")
            trees.append(Tree.at(folder / "base", folder / "metadata"))
        measure(trees)


def measure(trees: Sequence[Tree | None]) -> None:
    """Measure all; generation with the sources of each of these trees, in turn."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    jobs: list[tuple[Any, ...]] = [(load_row, load) for load in LOADS]
    jobs += [(batch_row, *batch) for batch in BATCHES]
    rows = [in_own_process(*job) for job in tracked(jobs, "model")]
    generated = [
        in_own_process(generation_row, net, routers, tree)
        for net, routers in tracked(GENERATED, "Verilog")
        for tree in trees
    ]
    _print_table("The golden model, one core", "model.json", rows)
    _print_table("Verilog", "generation.json", generated)


def _print_table(title: str, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print a table, and write it as JSON."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    output.table(title, [column.replace("_", " ") for column in columns], cells)
    write_file(FOLDER / name, json.dumps(rows, indent=2) + "\n")


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
