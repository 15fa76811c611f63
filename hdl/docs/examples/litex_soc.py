"""Design of LiteX: four managers and two of its memories on a mesh of 3 x 2.

Beside `chip_litex.py`, which ``knotwork generate litex_soc.toml --for litex -o FOLDER`` writes::

    python litex_soc.py FOLDER
"""

import sys
from functools import reduce
from importlib import import_module
from operator import and_, or_
from pathlib import Path

from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import axi
from migen import ClockDomain, ClockSignal, If, Module, ResetSignal, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

MANAGERS, MEMORIES, SIZE = (0, 1, 2, 3), (4, 5), 0x1000
"""Nodes, and bytes of a memory, as in `litex_soc.toml`."""
WORDS = 24
"""Words that each manager writes, to both memories in turn."""


class Manager(Module):
    """Writes words of its own into both memories in turn, and reads each back.

    `done` rises at its end, `wrong` with the first answer that is not what was written.
    """

    def __init__(self, bus, number):
        self.done, self.wrong = Signal(), Signal()
        self.word = word = Signal(max=WORDS)
        address, data = Signal(bus.address_width), Signal(bus.data_width)
        sent, given = Signal(), Signal()
        self.comb += [
            address.eq((word[0] * SIZE) | (number << 8) | (word[1:] << 2)),
            data.eq(word * 0x9E3779B1 + (number + 1) * 0x1000193),
            *(channel.addr.eq(address) for channel in (bus.aw, bus.ar)),
            bus.w.data.eq(data),
            bus.w.strb.eq(2 ** len(bus.w.strb) - 1),
        ]
        self.submodules.fsm = fsm = FSM(reset_state="WRITE")
        fsm.act(
            "WRITE",
            bus.aw.valid.eq(~sent),
            bus.w.valid.eq(~given),
            bus.b.ready.eq(1),
            If(bus.aw.valid & bus.aw.ready, NextValue(sent, 1)),
            If(bus.w.valid & bus.w.ready, NextValue(given, 1)),
            If(
                bus.b.valid,
                NextValue(sent, 0),
                NextValue(given, 0),
                If(bus.b.resp != 0, NextValue(self.wrong, 1)),
                NextState("READ"),
            ),
        )
        fsm.act(
            "READ",
            bus.ar.valid.eq(~sent),
            bus.r.ready.eq(1),
            If(bus.ar.valid & bus.ar.ready, NextValue(sent, 1)),
            If(
                bus.r.valid,
                NextValue(sent, 0),
                If((bus.r.resp != 0) | (bus.r.data != data), NextValue(self.wrong, 1)),
                If(word == WORDS - 1, NextState("DONE")).Else(
                    NextValue(word, word + 1), NextState("WRITE")
                ),
            ),
        )
        fsm.act("DONE", self.done.eq(1))


class Soc(LiteXModule):
    """Managers at the first nodes, LiteX's memories at the others.

    `done` rises when all managers are at their end, `wrong` when one read what it did not write.
    """

    def __init__(self, network):
        for name in ("clk", "rst", "done", "wrong"):
            setattr(self, name, Signal(name_override=name))
        self.cd_sys = ClockDomain()
        self.comb += [ClockSignal("sys").eq(self.clk), ResetSignal("sys").eq(self.rst)]
        self.network = network
        managers = [Manager(network.nodes[node].bus, node) for node in MANAGERS]
        self.submodules += managers
        self.submodules += [axi.AXILiteSRAM(SIZE, bus=network.nodes[node].bus) for node in MEMORIES]
        self.comb += [
            self.done.eq(reduce(and_, (manager.done for manager in managers))),
            self.wrong.eq(reduce(or_, (manager.wrong for manager in managers))),
        ]


def write(folder: Path) -> None:
    """Write `top.v`, the design around `chip.v`, and what its memories hold."""
    sys.path.insert(0, str(folder))
    soc = Soc(import_module("chip_litex").Chip())
    made = convert(soc, ios={soc.clk, soc.rst, soc.done, soc.wrong}, name="top")
    for name, content in (made.data_files | {"top.v": str(made)}).items():
        (folder / name).write_text(content)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
