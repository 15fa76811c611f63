"""A group's tree in Verilog beside its golden model, equal in every cycle."""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from helpers.collectives import Group, drawn_rounds
from knotwork import Network
from knotwork.routing.collectives import KIND_BITS
from knotwork_sim.model.collectives import Beat, CollectiveModel, Header, Watchdog

FACTS = json.loads(os.environ["COLLECTIVE_FACTS"])


class Ends:
    """Ports of the members."""

    def __init__(self, dut, tree, form):
        self._dut, self._tree = dut, tree
        self._operations = form.operation_bits

    def _port(self, name, node):
        return getattr(self._dut, name.replace("#", str(node)))

    def _value(self, name, node):
        return int(self._port(name, node).value)

    def drive(self, beats, ready):
        """Offer beats, and take those that are offered."""
        for node, beat, takes in zip(self._tree.members, beats, ready, strict=True):
            self._port("m_axis_#_tready", node).value = takes
            self._port("s_axis_#_tvalid", node).value = beat is not None
            if beat is not None:
                header = beat.header
                user = beat.part | header.kind << 1 | header.operation << (1 + KIND_BITS)
                values = {"tdata": beat.data, "tlast": beat.last, "tuser": user}
                for signal, value in (values | {"tdest": header.root}).items():
                    self._port(f"s_axis_#_{signal}", node).value = value

    def answers(self):
        """Beat that is offered to each member."""
        return [self._answer(node) for node in self._tree.members]

    def _answer(self, node):
        def value(signal):
            return self._value(f"m_axis_#_{signal}", node)

        if not value("tvalid"):
            return None
        user = value("tuser")
        kind, operation = user >> 1, user >> (1 + KIND_BITS)
        header = Header(
            kind & ((1 << KIND_BITS) - 1),
            operation & ((1 << self._operations) - 1),
            value("tid"),
        )
        fault = bool(user >> (1 + KIND_BITS + self._operations))
        return Beat(value("tdata"), bool(value("tlast")), bool(user & 1), header, fault)

    def taken(self, beats):
        """Whether each member's beat is taken."""
        return [
            beat is not None and bool(self._value("s_axis_#_tready", node))
            for node, beat in zip(self._tree.members, beats, strict=True)
        ]

    def marks(self, *, watched):
        """Refusal, fault and wait of each member, and whether it is late."""
        names = ("refused", "fault", "awaited", *["late"] * watched)
        return [
            tuple(self._value(f"{name}_#", node) for name in names) for node in self._tree.members
        ]


@cocotb.test()
async def equals_the_model_in_every_cycle(dut):
    (group,) = Network.from_word(FACTS["network"]).collective_groups
    tree, form = group.tree, group.form
    rounds = drawn_rounds(tree, form, random.Random(FACTS["seed"]), FACTS["rounds"])
    members = Group(rounds.messages, random.Random(FACTS["seed"]), FACTS["stall"])
    model, ends = CollectiveModel(tree, form), Ends(dut, tree, form)
    watchdog = Watchdog(len(tree.members), group.watchdog)
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    ends.drive([None] * len(tree.members), [False] * len(tree.members))
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    quiet = 0
    while quiet < 50:
        members.offer()
        ends.drive(members.beats, members.ready)
        await ReadOnly()
        cycle = model.step(members.beats, members.ready)
        faults = [0] * len(tree.members)
        for fault in cycle.faults:
            faults[tree.members.index(fault.member)] |= fault.bits
        marks = [cycle.refused, faults, cycle.waits]
        if group.watchdog:
            marks.append(watchdog.step(cycle.waits))
        assert ends.answers() == cycle.answers
        assert ends.taken(members.beats) == cycle.taken
        assert ends.marks(watched=group.watchdog > 0) == [*zip(*marks, strict=True)]
        members.step(cycle.answers, cycle.taken)
        moves = any(cycle.taken) or any(answer is not None for answer in cycle.answers)
        quiet = 0 if moves else quiet + 1
        await FallingEdge(dut.clk)
    assert members.answers == rounds.answers
