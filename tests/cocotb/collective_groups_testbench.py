"""Groups of a network in Verilog, whose collectives nodes start in any order, beside the model."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from collective_testbench import FACTS, Ends
from helpers.collective_groups import HangError, Interleaved
from knotwork import Network


class GroupEnds(Ends):
    """Ports of a group's members at the network."""

    def __init__(self, dut, group):
        super().__init__(dut, group.tree, group.form)
        self._name = group.name

    def _port(self, name, node):
        is_stream = name.startswith(("m_axis", "s_axis"))
        port = f"{name[:6]}_{self._name}{name[6:]}" if is_stream else f"{self._name}_{name}"
        return super()._port(port, node)


def recorded(groups):
    """Cycles of all groups by their models; the last ones may be those of a hang."""
    cycles = []
    run = Interleaved(
        [group.tree for group in groups],
        seed=FACTS["seed"],
        shares_port=FACTS["shares_port"],
        record=cycles,
    )
    try:
        run.run(FACTS["rounds"])
    except HangError:
        assert FACTS["shares_port"]
    else:
        assert not FACTS["shares_port"]
    return cycles


@cocotb.test()
async def equals_the_models_in_every_cycle(dut):
    groups = Network.from_word(FACTS["network"]).collective_groups
    ends = [GroupEnds(dut, group) for group in groups]
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for end, group in zip(ends, groups, strict=True):
        count = len(group.tree.members)
        end.drive([None] * count, [False] * count)
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    for number, cycle in enumerate(recorded(groups)):
        for end, group in zip(ends, cycle, strict=True):
            end.drive(group.beats, group.ready)
        await ReadOnly()
        for end, group in zip(ends, cycle, strict=True):
            assert end.answers() == group.cycle.answers, number
            assert end.taken(group.beats) == group.cycle.taken, number
        await FallingEdge(dut.clk)
