"""What routers of a batch and their controller may rely on from each other, clock by clock."""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Mux, Value
from amaranth.lib import data

from ...gateware.batch.layouts import control_layout
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network
from ..harness import Harness
from .expectations import EXPECTATIONS


class Batches:
    """Steps of the batches, counted from what the controller says.

    Parameters
    ----------
    harness : Harness
        Harness.
    network : Network
        Network with batches.
    control : Value
        What the controller says.

    Members
    -------
    control : View
        That.
    step, word : Signal
        Step, and its clock.
    began : Value
        A batch begins with this clock.
    table : list of Signal
        Entry of the jump table for each dimension, as it was last loaded.
    loaded : Signal
        How many entries have come in their order, dimension n - 1 first.
    """

    def __init__(self, harness: Harness, network: Network, control: Value) -> None:
        layout = control_layout(network)
        self.control: Any = data.View(layout, control)
        self.words, self.n = network.hardware.words, network.topology.address_width
        self.expected = EXPECTATIONS[network.routing.name](network)
        steps = self.expected.steps
        m = harness.m
        self.step = harness.register(range(steps), "step")
        self.word = harness.register(range(self.words), "word")
        self.last = harness.named(self.word == self.words - 1, "last")
        self.final = harness.named(self.step == steps - 1, "final")
        was_running, was_done = harness.register(1, "was_running"), harness.register(1, "was_done")
        running, loads = self.control.running, self.control.loads
        self.began = running & ~was_running
        self.table = [harness.register(layout["entry"].width, f"entry_{k}") for k in range(self.n)]
        self.loaded = harness.register(range(self.n + 1), "loaded")
        self.was_running, self._was_done = was_running, was_done
        m.d.sync += [was_running.eq(running), was_done.eq(self.control.done)]
        with m.If(running):
            m.d.sync += self.word.eq(self.word + 1)
            with m.If(self.last):
                m.d.sync += [self.word.eq(0), self.step.eq(self.step + 1)]
                with m.If(self.final):
                    m.d.sync += self.step.eq(0)
        before = [self.n - 1 - k for k in range(self.n)]
        for k, entry in enumerate(self.table):
            with m.If(loads[k]):
                m.d.sync += [
                    entry.eq(self.control.entry.as_value()),
                    self.loaded.eq(
                        Mux((self.loaded == before[k]) | (before[k] == 0), before[k] + 1, 0)
                    ),
                ]

    def rules(self) -> list[Value]:
        """What the controller keeps to."""
        control = self.control
        schedules = Array(self.expected.schedules())
        return [
            ~control.running | (control.last == self.last),
            control.done == (control.running & self.last & self.final),
            ~self._was_done | ~control.running,
            ~self.was_running | self._was_done | control.running,
            is_one_hot_or_zero(control.loads),
            ~(control.running & control.loads.any()),
            ~control.running | (self.loaded == self.n),
            control.schedule.as_value() == schedules[self.step],
        ]

    def known(self) -> list[Value]:
        """What follows from the rules about the registers here."""
        return [
            (self.step < self.expected.steps) & (self.word < self.words),
            self.loaded <= self.n,
            self.control.running | ((self.step == 0) & (self.word == 0)),
            self.was_running | ((self.step == 0) & (self.word == 0)),
            ~self._was_done | (self.was_running & (self.step == 0) & (self.word == 0)),
        ]

    def entry(self, k: int, destination: Value) -> tuple[Value, Value]:
        """Jump bit for a dimension, and its buddy's bit of a destination; buddy n is a 0."""
        layout: Any = self.control.shape()["entry"].shape
        entry: Any = data.View(layout, self.table[k])
        more = (1 << len(entry.buddy)) - self.n
        return entry.jump, Cat(destination, Const(0, more)).bit_select(entry.buddy, 1)
