"""Single-event upsets: a bit of a flit flips, in a buffer or on a link. Inside the simulator."""

import os
import pickle
import random
from dataclasses import dataclass
from pathlib import Path

import cocotb
from cocotb.handle import ArrayObject, HierarchyObject
from knotwork_sim.rtl.cocotb_test import Testbench, clear_inputs, reset, run
from knotwork_sim.rtl.job import Job

UPSETS_VARIABLE = "UPSET_JOB"
LINKS = 0.4
"""Share of the flips that are on links."""


@dataclass(frozen=True)
class Upsets:
    """A job, and a flip every so many cycles, 0 for none.

    `links` are wires of flits; `checks` are bits of a flit whose sum is even where it is whole.
    """

    job: Job
    every: int
    links: list[str]
    flit_width: int
    checks: list[int]
    seed: int


def words_in(handle):
    """Public words below a handle: those of its memories, and its registers."""
    found = []
    for child in handle:
        if isinstance(child, HierarchyObject):
            found += words_in(child)
        else:
            found += list(child) if isinstance(child, ArrayObject) else [child]
    return found


class Upsetter:
    def __init__(self, dut, upsets):
        self.dut, self.upsets = dut, upsets
        self.dice = random.Random(upsets.seed)
        self.links = [getattr(dut.network, name) for name in upsets.links]
        self.words = [word for word in words_in(dut.network) if word._name not in upsets.links]
        assert self.words
        self.flips = []

    def is_complete(self, handle):
        """Whether no bit of a word has flipped: a flit bears one flip, not two, and so do turns."""
        flit = int(handle.value)
        if "turns" in handle._path:  # three copies, and nothing else
            width = len(handle) // 3
            return flit == (flit & (1 << width) - 1) * (1 + (1 << width) + (1 << 2 * width))
        if "store" in handle._path:  # data and its parity; what was there before a run is 0
            return flit.bit_count() % 2 == 0
        return all((flit & check).bit_count() % 2 == 0 for check in self.upsets.checks)

    def __call__(self, clock):
        self.dut.upset_link.value = 0
        if not self.upsets.every or clock % self.upsets.every:
            return
        on_link = self.dice.random() < LINKS
        chosen = self.dice.choice(self.links if on_link else self.words)
        bit = self.dice.randrange(self.upsets.flit_width if on_link else len(chosen))
        if not self.is_complete(chosen):
            return
        if on_link:
            self.dut.upset_link.value = self.links.index(chosen) + 1
            self.dut.upset_flit.value = 1 << bit
        else:
            chosen.value = int(chosen.value) ^ 1 << bit
        self.flips.append((clock, chosen._path, bit))


@cocotb.test()
async def upsets(dut):
    for upsets in pickle.loads(Path(os.environ[UPSETS_VARIABLE]).read_bytes()):
        testbench = Testbench(dut, upsets.job)
        clear_inputs(dut, testbench)
        dut.upset_link.value = dut.upset_flit.value = 0
        await reset(dut)
        upsetter = Upsetter(dut, upsets)
        record = await run(dut, testbench, disturb=upsetter)
        upsets.job.record.write_bytes(pickle.dumps((record, upsetter.flips)))
