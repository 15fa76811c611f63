"""Collectives in the emitted Verilog, by a compiled C++ driver: no Python runs in any cycle."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from knotwork.builds.compilation import failure, keep_log, run_process
from knotwork.builds.folders import work_folder
from knotwork.emit import network_verilog
from knotwork.network import Network
from knotwork.routing.collectives import FAULTS, KIND_BITS

from ..rtl.driver import write_list
from ..rtl.programs import Program, compiled_sources, program_of, router_blocks
from ..rtl.wrapper import TOP
from .ports import ANSWER, MARGIN, PATIENCE, Group, Log, Pauses, Row, user_bits

_COLUMNS = 5  # of a row, before the words of data
_MARKS = 2 + len(FAULTS)


def wrapper_verilog(top: str, groups: Sequence[Group], port_names: Sequence[Sequence[str]]) -> str:
    """Module `TOP`, in which each port's bits of a signal are an element of a vector.

    Parameters
    ----------
    top : str
        Module that it places.
    port_names : sequence of sequence of str
        For each group the number of each member's ports in their names.
    """
    form = groups[0].form
    widths = {
        "s_tvalid": 1,
        "m_tready": 1,
        "s_tdata": form.width,
        "s_tlast": 1,
        "s_tdest": form.root_bits,
        "s_tuser": 1 + KIND_BITS + form.operation_bits,
    }
    outputs = {
        "s_tready": 1,
        "m_tvalid": 1,
        "m_tdata": form.width,
        "m_tlast": 1,
        "m_tid": form.root_bits,
        "m_tuser": user_bits(form),
        "marks": _MARKS,
    }
    count = sum(len(group.tree.members) for group in groups)
    lines = ["  input clk", "  input rst"]
    for way, signals in (("input", widths), ("output", outputs)):
        lines += [f"  {way} [{count * width - 1}:0] {name}" for name, width in signals.items()]
    pins, port = ["    .clk(clk)", "    .rst(rst)"], 0
    for group, names in zip(groups, port_names, strict=True):
        for name in names:
            for signal, width in (widths | outputs).items():
                if signal != "marks":
                    side, end = signal.split("_")
                    bits = f"{signal}[{port * width} +: {width}]"
                    pins.append(f"    .{side}_axis_{group.name}_{name}_{end}({bits})")
            marks = {"refused": (0, 1), "fault": (1, len(FAULTS)), "awaited": (_MARKS - 1, 1)}
            for mark, (place, width) in marks.items():
                bits = f"marks[{port * _MARKS + place} +: {width}]"
                pins.append(f"    .{group.name}_{mark}_{name}({bits})")
            port += 1
    head = [f"module {TOP} (", ",\n".join(lines), ");", f"  {top} network ("]
    return "\n".join([*head, ",\n".join(pins), "  );", "endmodule", ""])


def run_network(network: Network, groups: Sequence[Group], pauses: Pauses) -> Log:
    """Run some groups of a network in its Verilog; all its other ports are idle.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed, or the run did.
    """
    verilog = network_verilog(network)
    program = collectives_program(
        network.name,
        verilog,
        groups,
        [[network.port_names[node] for node in group.tree.members] for group in groups],
        blocks=router_blocks(network, verilog),
    )
    return run_verilog(program.build(), groups, pauses)


def collectives_program(
    top: str,
    verilog: str,
    groups: Sequence[Group],
    port_names: Sequence[Sequence[str]],
    *,
    blocks: Sequence[str] = (),
) -> Program:
    """Program that drives the groups' ports of a module.

    Parameters
    ----------
    top, verilog : str
        Module, and its sources.
    port_names
        As of `wrapper_verilog`.
    blocks : sequence of str
        Modules that are compiled once each.
    """
    form = groups[0].form
    sources = {
        f"{top}.v": verilog,
        "testbench.v": wrapper_verilog(top, groups, port_names),
        **compiled_sources("collectives.cpp"),
    }
    return program_of(
        sources,
        blocks=blocks,
        asserts=True,
        level="-O1",
        KNOTWORK_DATA_WIDTH=form.width,
        KNOTWORK_ROOT_WIDTH=form.root_bits,
        KNOTWORK_SENT_USER_WIDTH=1 + KIND_BITS + form.operation_bits,
        KNOTWORK_USER_WIDTH=user_bits(form),
        KNOTWORK_MARKS_WIDTH=_MARKS,
    )


def run_verilog(executable: Path, groups: Sequence[Group], pauses: Pauses) -> Log:
    """Run the Verilog as `run_model` runs the golden models.

    Raises
    ------
    ToolError
        The simulation did not come to its end, as after a failed assertion.
    """
    with work_folder() as folder:
        job, log = folder / "job", folder / "log"
        with job.open("wb") as file:
            for each in _lists(groups, pauses):
                write_list(file, each)
        try:
            done = run_process([executable, job, log])
        except OSError as error:
            kept = keep_log(executable.parent, f"error: {error.strerror}\n".encode())
            raise failure("the simulation", kept, error) from None
        if done.returncode:
            kept = keep_log(executable.parent, done.stdout)
            raise failure("the simulation", kept, f"status {done.returncode}")
        found = np.fromfile(log, np.int64)
    return _log(found, groups)


def _lists(groups: Sequence[Group], pauses: Pauses) -> list[np.ndarray]:
    """Lists of a job, in the order in which collectives.cpp reads them."""
    form, sent = groups[0].form, [beats for group in groups for beats in group.sent()]
    every = [beat for beats in sent for beat in beats]
    due = sum(group.due for group in groups)
    head = [
        *(pauses.bubble, pauses.stall, pauses.period, pauses.seed),
        *(due, len(every), MARGIN, PATIENCE),
    ]
    size = -(-form.width // 64)
    words = b"".join(beat.data.to_bytes(8 * size, "little") for beat in every)
    user = [
        beat.part | beat.header.kind << 1 | beat.header.operation << (1 + KIND_BITS)
        for beat in every
    ]
    return [
        np.array(head, np.uint64),
        np.cumsum([0, *map(len, sent)]),
        np.array([beat.last for beat in every], np.int64),
        np.array([beat.header.root for beat in every], np.int64),
        np.array(user, np.int64),
        np.frombuffer(words, np.int64),
    ]


def _log(found: np.ndarray, groups: Sequence[Group]) -> Log:
    """Log that collectives.cpp wrote."""
    form = groups[0].form
    shift = user_bits(form) + form.root_bits + 1
    columns = _COLUMNS + -(-form.width // 64)
    rows = []
    for cycle, port, what, taken, bits, *data in found[:-1].reshape(-1, columns).tolist():
        word = 0
        if what == ANSWER:
            for place, part in enumerate(data):
                word |= (part & ((1 << 64) - 1)) << 64 * place
        rows.append(Row(cycle, port, what, bool(taken), word << shift | bits))
    return Log(rows, int(found[-1]))
