"""Verdicts on mutants: each runs in Verilog until it differs from the golden model."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from knotwork.emit.ports import config_widths, eject_widths, inject_widths, status_width
from knotwork.network import Network
from knotwork_sim.rtl.programs import build_executable, compiled_sources, router_blocks

from .mutants import Mutant, switched_network
from .runs import Run, job_bytes
from .stimuli import flit_width, monitor_width, with_reader, with_upsets

_PROGRAM = ("judge.cpp", "job.h")


class Verdict(NamedTuple):
    """Outcome of a mutant's simulations."""

    # Where the mutant first differed; -1 if it did not.
    run: int
    cycle: int
    # How: ``early``, ``late`` or ``missing`` (a beat), ``contents``, ``unstable`` (a beat changed
    # before it was taken), ``refusal``, ``status``, ``assertion``, ``original`` (not what that one
    # shows, in a run beside it), ``crash``; or ``nothing``.
    what: str
    message: str = ""  # message of the assertion; otherwise empty

    @property
    def killed(self) -> bool:
        """Whether the simulations detected it."""
        return self.run >= 0


def judge(
    network: Network,
    name: str,
    mutants: Sequence[Mutant],
    runs: Sequence[Run],
) -> list[Verdict]:
    """Run the original network, and the network with each mutant of a module."""
    executable = build_judge(network, name, mutants)
    numbers = [0, *(mutant.number for mutant in mutants)]
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        job = Path(folder) / "job"
        job.write_bytes(job_bytes(network, runs))

        def verdict(number: int) -> Verdict:
            command = [executable, job, str(number)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            _, run, cycle, what, *message = done.stdout.split(maxsplit=4)
            return Verdict(int(run), int(cycle), what, "".join(message).strip())

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(verdict, numbers))


def build_judge(network: Network, name: str, mutants: Sequence[Mutant]) -> Path:
    """Executable of the network with all mutants of a module, selected by number."""
    sources, links = with_upsets(network, name, switched_network(network, name, mutants))
    sources["testbench.v"] = with_reader(network, sources["testbench.v"])
    program = {name: Path(__file__).with_name(name).read_text("utf-8") for name in _PROGRAM}
    return build_executable(
        {**sources, **compiled_sources("ports.h"), **program},
        # What an upset can flip must be in reach.
        blocks=() if links else router_blocks(network, sources[f"{network.name}.v"]),
        asserts=True,
        KNOTWORK_DATA_WIDTH=network.hardware.data_width,
        KNOTWORK_ADDRESS_WIDTH=network.topology.address_width,
        KNOTWORK_USER_WIDTH=inject_widths(network).get("tuser", 0),
        KNOTWORK_FLAG_WIDTH=eject_widths(network).get("tuser", 0),
        KNOTWORK_SOURCE=int("tid" in eject_widths(network)),
        KNOTWORK_CONFIG_WIDTH=config_widths(network).get("tdata", 0),
        KNOTWORK_MONITOR_WIDTH=monitor_width(network),
        KNOTWORK_UPSET_LINKS=links,
        KNOTWORK_FLIT_WIDTH=flit_width(network),
        KNOTWORK_STATUS_WIDTH=status_width(network) if config_widths(network) else 0,
    )
