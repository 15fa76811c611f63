"""Modules of several clocks: an asynchronous FIFO, as Amaranth makes it."""

import re

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.wiring import In, Out
from helpers.reference import prove_equal, prove_same_clocks, reference
from knotwork.emit.modules import Shell, module_verilog

AXES = {"payload": "payload"}


class Crossed(wiring.Component):
    """Stream from one clock to another."""

    def __init__(self, width, domains):
        self._domains = domains
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        w_domain, r_domain = self._domains
        m.submodules.fifo = fifo = AsyncFIFO(
            width=len(self.i.payload), depth=4, w_domain=w_domain, r_domain=r_domain
        )
        m.d.comb += [
            fifo.w_data.eq(self.i.payload),
            fifo.w_en.eq(self.i.valid),
            self.i.ready.eq(fifo.w_rdy),
            self.o.payload.eq(fifo.r_data),
            self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready),
        ]
        return m


def shell(domains):
    """It with plain ports."""
    core = Crossed(3, domains)
    found = Shell(core)
    for side, valid, ready in (
        (core.i, found.input, found.output),
        (core.o, found.output, found.input),
    ):
        name = "i" if side is core.i else "o"
        valid(f"{name}_valid", side.valid)
        ready(f"{name}_ready", side.ready)
        valid(f"{name}_payload", side.payload)
    return found


@pytest.mark.parametrize(
    "domains", [("node", "sync"), pytest.param(("sync", "node"), marks=pytest.mark.slow)]
)
def test_two_clocks_are_written_as_amaranth_has_them(domains):
    text = module_verilog(shell(domains), "gate")
    gold = reference(shell(domains))
    prove_equal(gold, text)
    clocks = prove_same_clocks(gold, text)
    reset = {"node": "node_rst", "sync": "rst"}[domains[0]]
    assert {clock for clock, _ in clocks} == {"clk", "node_clk"}
    assert clocks[{"node": "node_clk", "sync": "clk"}[domains[1]], reset] == 2


def test_a_wrong_clock_is_found():
    text = module_verilog(shell(("node", "sync")), "gate")
    pattern = r"(always @\(posedge )clk(\) begin\n    stage0)"
    broken, count = re.subn(pattern, r"\1rst\2", text)
    assert count == 1
    with pytest.raises(AssertionError):
        prove_same_clocks(reference(shell(("node", "sync"))), broken)


def test_registers_that_synchronise_are_marked():
    text = module_verilog(shell(("node", "sync")), "gate")
    marked = re.findall(r'\(\* ASYNC_REG = "TRUE" \*\) reg (?:\[.*\] )?(\w+) =', text)
    assert marked == ["stage0", "stage1"] * 3
