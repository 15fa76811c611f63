"""cocotb test that drives a network with a job's traffic, and fails at what is wrong.

It runs inside the simulator, which `knotwork_sim.rtl.cocotb_run` starts. In each cycle, while the
clock is low, it sets the sources' beats and the sinks' readiness and reads all outputs; then the
clock rises. A scoreboard judges what the nodes saw, and the record of it is written in any case.
"""

import gc
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import Timer

from ..model.record import Record, TakenBeat
from ..scoreboard.scoreboard import RunChecker
from ..traffic.endpoints import accepted_all, drive, make_endpoints, reply_to_one
from ..traffic.jump_tables import ConfigSource
from .job import JOB_VARIABLE, MARGIN, Job


class Testbench:
    """All nodes of a network, one cycle at a time."""

    def __init__(self, dut: Any, job: Job) -> None:
        self.dut, self.job = dut, job
        self.flags = -1
        self.has_source = job.has_source
        self.nodes = len(job.packets.first_packet) - 1
        self.data_width, self.address_width = job.data_width, job.address_width
        self.ends = make_endpoints(job.packets, job.traffic)
        self._drive, self._accept = drive.bind(self.ends), accepted_all.bind(self.ends)
        self.words = job.packets.words(self.data_width)
        self.held = np.full(self.nodes, -1, np.int64)
        self.vectors = {"s_tdata": 0, "s_tdest": 0, "s_tlast": 0}
        if job.user_width:
            self.vectors["s_tuser"] = 0
        self.beats: list[TakenBeat] = []
        self.refused: list[tuple[int, int]] = []
        packets = job.packets
        self.alone = ~(packets.refused | packets.multicast | packets.broadcast)
        self.accepted = 0  # beats, those of refused packets included
        self.entered = 0  # beats that nodes must receive, of what was accepted
        self.config = ConfigSource(job.packets.loadings)
        self.status: list[tuple[int, int]] = []
        self.checker = RunChecker(job.facts, packets, job.golden)

    def payload(self, flit: int) -> int:
        """Return the data of a flit as one number."""
        return sum(int(word) << 64 * place for place, word in enumerate(self.words[flit]))

    def _field(self, vector: str, node: int, width: int, value: int) -> None:
        shift = node * width
        kept = self.vectors[vector] & ~(((1 << width) - 1) << shift)
        self.vectors[vector] = kept | value << shift

    def set_inputs(self, cycle: int) -> None:
        """Set the beats that sources offer and the readiness of sinks for this cycle."""
        ends, packets, dut = self.ends, self.job.packets, self.dut
        self._drive(cycle)
        current = np.minimum(ends.packet, len(packets) - 1)
        flits = np.where(ends.offered, packets.first_flit[current], 0)
        flits = np.where(ends.offered, flits + ends.beat, -1)
        changed = np.nonzero((flits != self.held) & (flits >= 0))[0].tolist()
        for node in changed:
            packet = int(ends.packet[node])
            code, user = int(self.job.addresses[packet]), int(packets.user[packet])
            if ends.beat[node] > 0:  # read with the first beat only: later ones have the complement
                code = ~code & (1 << self.address_width) - 1
                user = ~user & (1 << self.job.user_width) - 1
            last = int(ends.beat[node] == packets.length[packet] - 1)
            self._field("s_tdata", node, self.data_width, self.payload(int(flits[node])))
            self._field("s_tdest", node, self.address_width, code)
            self._field("s_tlast", node, 1, last)
            if self.job.user_width:
                self._field("s_tuser", node, self.job.user_width, user)
        self.held = flits
        if changed:
            for name, value in self.vectors.items():
                getattr(dut, name).value = value
        flags = _number(ends.offered) << self.nodes | _number(ends.taking)
        if flags != self.flags:
            dut.flags_in.value = self.flags = flags
        if self.job.buddy_width:
            self._set_config(cycle)

    def _set_config(self, cycle: int) -> None:
        """Offer an entry of a jump table: {jump, buddy, tlast, tvalid}."""
        entry, vector = self.config.offered(cycle), 0
        if entry:
            vector = (entry.jump << self.job.buddy_width | entry.buddy) << 2 | entry.last << 1 | 1
        self.dut.config_in.value = vector

    def _read_config(self, cycle: int) -> None:
        """Note the status, and the entry that the network takes: {status, tready}."""
        status, ready = divmod(int(self.dut.config_out.value), 2)
        if not self.status or self.status[-1][1] != status:
            self.status.append((cycle, status))
        if ready and self.config.offered(cycle):
            self.config.taken()

    def read_outputs(self, cycle: int) -> None:
        """Note and judge what the nodes saw, and move the sources on to their next beats."""
        dut, ends = self.dut, self.ends
        seen = len(self.beats), len(self.refused), len(self.status)
        flags, mask = int(dut.flags_out.value), (1 << self.nodes) - 1
        taken, ready = flags & self.flags & mask, flags >> self.nodes & mask
        if taken:
            data, last = int(dut.m_tdata.value), int(dut.m_tlast.value)
            source = int(dut.m_tid.value) if self.has_source else 0
            user, width = int(dut.m_tuser.value) if self.job.flag_width else 0, self.job.flag_width
            for node in range(self.nodes):
                if taken >> node & 1:
                    payload = data >> node * self.data_width & (1 << self.data_width) - 1
                    code = source >> node * self.address_width & (1 << self.address_width) - 1
                    flag = user >> node * width & (1 << width) - 1
                    ends_packet = last >> node & 1
                    self.beats.append(TakenBeat(cycle, node, code, ends_packet, flag, payload))
                    self._reply(cycle, node, code, payload, ends_packet)
        refused = flags >> 2 * self.nodes
        if refused:
            self.refused += [(cycle, node) for node in range(self.nodes) if refused >> node & 1]
        is_ready = np.array([ready >> node & 1 for node in range(self.nodes)], np.bool_)
        self._note_accepted(np.flatnonzero(ends.offered & is_ready))
        self._accept(is_ready, cycle)
        if self.job.buddy_width:
            self._read_config(cycle)
        beats, refusals, changes = seen
        self.checker.cycle(
            cycle, self.beats[beats:], self.refused[refusals:], self.status[changes:]
        )

    def _reply(self, cycle: int, node: int, code: int, payload: int, last: int) -> None:
        """Queue a reply if this beat is the last of a request."""
        if self.job.receiver.is_needed:
            flow = self.job.receiver.take(node, code, payload, last=bool(last))
            reply_to_one(self.ends, node, flow, cycle)

    def _note_accepted(self, nodes: np.ndarray) -> None:
        """Count the beats that the network takes from these nodes.

        The copies of a multicast or broadcast are due when it has entered whole.
        """
        packets, packet = self.job.packets, self.ends.packet[nodes]
        alone = self.alone[packet]
        whole = (self.ends.beat[nodes] == packets.length[packet] - 1) & ~alone
        self.accepted += len(nodes)
        self.entered += int(alone.sum() + packets.due[packet[whole]].sum())

    @property
    def idle(self) -> bool:
        """Whether no source offers a beat and no flit is in the network."""
        return not self.ends.offered.any() and self.entered == len(self.beats)

    def record(self, clocks: int) -> Record:
        """Everything noted, in the form in which the golden model gives it too."""
        words = self.words.shape[1]
        return Record.from_beats(
            self.beats,
            self.refused,
            words=words,
            clocks=clocks,
            status=self.status,
            injected=self.ends.injected,
            mismatch=None if self.checker.mismatch is None else str(self.checker.mismatch),
        )


def _number(bits: np.ndarray) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


async def _tick(dut: Any) -> None:
    """Second half of a cycle, which begins with the clock's rising edge."""
    dut.clk.value = 1
    await Timer(5, "ns")
    dut.clk.value = 0


def clear_inputs(dut: Any, testbench: Testbench) -> None:
    """Offer nothing and accept nothing."""
    for name in ("flags_in", *testbench.vectors):
        getattr(dut, name).value = 0
    if testbench.job.buddy_width:
        dut.config_in.value = 0
    dut.clk.value = 0


async def reset(dut: Any, clocks: int = 2) -> None:
    """Hold the reset for so many cycles, and leave the inputs as they are."""
    dut.rst.value = 1
    for _ in range(clocks):
        await Timer(5, "ns")
        await _tick(dut)
    dut.rst.value = 0


async def run(
    dut: Any,
    testbench: Testbench,
    *,
    until: int | None = None,
    disturb: Callable[[int], None] = lambda cycle: None,
) -> Record:
    """Run a job until all is delivered and the margin has passed, or nothing moves any more.

    Parameters
    ----------
    until : int or None
        Cycle before which the run is broken off; what is missing then is not judged.
    disturb : callable
        Called with the cycle's number before the inputs are set.
    """
    job, packets = testbench.job, testbench.job.packets
    flits, refusals = int(packets.due.sum()), int(packets.refused.sum())
    cycle, moved, end = 0, 0, until
    while end is None or cycle < end:
        disturb(cycle)
        testbench.set_inputs(cycle)
        await Timer(5, "ns")
        before = len(testbench.beats), testbench.accepted
        testbench.read_outputs(cycle)
        moves = before != (len(testbench.beats), testbench.accepted)
        # An idle network is not stuck: the next packet is due later.
        if moves or (cycle - moved >= job.patience and testbench.idle):
            moved = cycle
        await _tick(dut)
        cycle += 1
        done = len(testbench.beats) >= flits and len(testbench.refused) >= refusals
        done = done and testbench.config.done
        if end is None and (done or cycle - moved > job.patience):
            end = cycle + MARGIN
        if cycle % 256 == 0:
            job.progress.write_text(f"{len(testbench.beats)}")
    if until is None:
        testbench.checker.end(testbench.ends.injected)
    return testbench.record(cycle)


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Run a job after a reset, write its record, and fail if anything in it is wrong.

    With a run before it, the reset is one cycle long and comes in mid-traffic.
    """
    job: Job = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    gc.disable()  # what is made now stays to the end: to look through it again and again costs most
    testbench = Testbench(dut, job)
    first = testbench if job.before is None else Testbench(dut, job.before)
    gc.freeze()
    gc.enable()
    clear_inputs(dut, first)
    await reset(dut)
    if first is not testbench:
        await run(dut, first, until=first.job.until)
        testbench.checker.take_over(first.checker)
        await reset(dut, 1)
    record = await run(dut, testbench)
    job.record.write_bytes(pickle.dumps(record))
    testbench.checker.require_right()
