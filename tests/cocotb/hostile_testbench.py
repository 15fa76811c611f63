"""Traffic that resets break off, and sources that fall silent. Runs inside the simulator."""

import os
import pickle
from dataclasses import dataclass
from pathlib import Path

import cocotb
from knotwork_sim.rtl.cocotb_test import Testbench, clear_inputs, reset, run
from knotwork_sim.rtl.job import Job

PHASES_VARIABLE = "HOSTILE_PHASES"


@dataclass(frozen=True)
class Phase:
    """A job after a reset of so many cycles, broken off before cycle `until` if that is given.

    `silence` is {node, beat, until}: the node offers nothing from this beat of its first packet on,
    up to that clock.
    """

    job: Job
    reset: int = 2
    until: int | None = None
    silence: dict[str, int] | None = None


class Silencer:
    def __init__(self, testbench, node, beat, until):
        self.ends, self.node, self.beat, self.until = testbench.ends, node, beat, until
        self.first = int(testbench.ends.packet[node])
        self.end = int(testbench.ends.last_packet[node])

    def __call__(self, clock):
        ends, node = self.ends, self.node
        at_beat = (ends.packet[node], ends.beat[node]) == (self.first, self.beat)
        # A source without packets has no beat to offer.
        ends.last_packet[node] = self.first if at_beat and clock < self.until else self.end


@cocotb.test()
async def phases(dut):
    """Run the phases, each of which writes its record; a reset leaves the inputs as they are."""
    jobs = pickle.loads(Path(os.environ[PHASES_VARIABLE]).read_bytes())
    clear_inputs(dut, Testbench(dut, jobs[0].job))
    for phase in jobs:
        testbench = Testbench(dut, phase.job)
        await reset(dut, phase.reset)
        quiet = Silencer(testbench, **phase.silence) if phase.silence else lambda clock: None
        record = await run(dut, testbench, until=phase.until, disturb=quiet)
        phase.job.record.write_bytes(pickle.dumps(record))
        testbench.checker.require_right()
