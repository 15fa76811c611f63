"""Rules that the routers of a batch and their controller keep towards each other, by the cycle."""

from amaranth.hdl import Array, Cat, Const, Mux, Value
from amaranth.lib import data

from ...gateware.batch.layouts import control_layout, entry_layout, is_distributed
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network
from ...parameters import BatchParameters
from ..harness import Harness
from .ccc import CycleExpectation
from .expectation import ControlSignals, Entry, Expectation
from .hypercube import DimensionExpectation

EXPECTATIONS: dict[str, type[Expectation]] = {"lc1": DimensionExpectation, "lc2": CycleExpectation}
"""Expectation by the routing's name."""


def expected_steps(network: Network) -> int:
    """Steps of a batch."""
    return EXPECTATIONS[network.routing.name](network).steps


class Batches:
    """Steps of the batches, counted from the controller's signals.

    Parameters
    ----------
    harness : Harness
        Harness of a router, of the controller, or of a network.
    network : Network
        Network with batches.
    control : Value
        Signals of the controller.

    Members
    -------
    control : ControlSignals
        Signals of the controller.
    is_distributed : bool
        Whether every router counts the steps, from the controller's start on.
    expected : Expectation
        What the algorithm does in each step.
    words, n : int
        Cycles of a step; dimensions.
    step, word : Signal
        Step, and cycle of the step.
    last, final : Signal
        This is the last cycle of a step; this is the last step.
    began : Value
        A batch begins with this cycle.
    was_running : Signal
        A batch ran in the last cycle.
    table : list of Signal
        By dimension, the entry of the jump table that was last loaded.
    loaded : Signal
        How many entries have come in their order, dimension n - 1 first.
    """

    def __init__(self, harness: Harness, network: Network, control: Value) -> None:
        self._signals = data.View(control_layout(network), control)
        self.is_distributed = is_distributed(network)
        self._entry_layout = entry_layout(network)
        self.words = BatchParameters.of(network.hardware).words
        self.n = network.topology.address_width
        self.expected = EXPECTATIONS[network.routing.name](network)
        steps = self.expected.steps
        m = harness.m
        self.step = harness.register(range(steps), "step")
        self.word = harness.register(range(self.words), "word")
        self.last = harness.named(self.word == self.words - 1, "last")
        self.final = harness.named(self.step == steps - 1, "final")
        was_running, was_done = harness.register(1, "was_running"), harness.register(1, "was_done")
        self.control = (
            self._counted_by_routers(harness)
            if self.is_distributed
            else self._counted_by_controller()
        )
        running, loads = self.control.running, self.control.loads
        self.began = running & ~was_running
        self.table = [
            harness.register(self._entry_layout.size, f"entry_{k}") for k in range(self.n)
        ]
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

    def _counted_by_controller(self) -> ControlSignals:
        """Signals of a controller that counts the steps."""
        signals = self._signals
        return ControlSignals(
            signals.running, signals.last, signals.done, signals.entry, signals.loads
        )

    def _counted_by_routers(self, harness: Harness) -> ControlSignals:
        """Signals that routers derive from the start of a batch, where they count the steps."""
        signals = self._signals
        self.in_batch = harness.register(1, "going")
        running = harness.named(signals.start | self.in_batch, "running")
        done = harness.named(running & self.last & self.final, "done")
        harness.m.d.sync += self.in_batch.eq(running & ~done)
        return ControlSignals(running, self.last, done, signals.entry, signals.loads)

    @property
    def schedule(self) -> Value:
        """What the network does in this step."""
        return Array(self.expected.schedules())[self.step]

    def rules(self) -> list[Value]:
        """Rules that the controller keeps."""
        control = self.control
        if self.is_distributed:
            counting = [~(self._signals.start & self.in_batch)]
        else:
            counting = [self._signals.schedule.as_value() == self.schedule]
        return [
            *counting,
            ~control.running | (control.last == self.last),
            control.done == (control.running & self.last & self.final),
            ~self._was_done | ~control.running,
            ~self.was_running | self._was_done | control.running,
            is_one_hot_or_zero(control.loads),
            ~(control.running & control.loads.any()),
            ~control.running | (self.loaded == self.n),
        ]

    def register_facts(self) -> list[Value]:
        """What the rules imply about the registers here."""
        return [
            (self.step < self.expected.steps) & (self.word < self.words),
            self.loaded <= self.n,
            self.control.running | ((self.step == 0) & (self.word == 0)),
            self.was_running | ((self.step == 0) & (self.word == 0)),
            ~self._was_done | (self.was_running & (self.step == 0) & (self.word == 0)),
        ]

    def entry(self, k: int, destination: Value) -> Entry:
        """Entry of the jump table for a dimension, for a packet to this destination."""
        entry = data.View(self._entry_layout, self.table[k])
        more = (1 << len(entry.buddy)) - self.n
        return Entry(entry.jump, Cat(destination, Const(0, more)).bit_select(entry.buddy, 1))
