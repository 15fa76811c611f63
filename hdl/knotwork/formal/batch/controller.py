"""Controller of batches: its harness and its properties."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.batch.controller import BatchController
from ...gateware.batch.exchange import Sequencer
from ...gateware.batch.layouts import entry_layout, report_layout
from ...gateware.wiring_plan import controller_module
from ...network import Network
from ...parameters import BatchParameters
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .contract import Batches, expected_steps


class ControllerHarness(Harness):
    """Harness of a controller, to which routers may report anything.

    Routers that count the steps report truly whether a batch runs, and no packet meanwhile.

    Parameters
    ----------
    network : Network
        Network with batches.
    name : str
        Name of the controller's module.
    """

    def __init__(self, network: Network, name: str) -> None:
        module = controller_module(network)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self.controller = self.component("", BatchController)
        self.network = network
        self.batches = Batches(self, network, self.port("control"))
        size = report_layout(network).size
        self.reports = [
            data.View(report_layout(network), self.port("reports").word_select(node, size))
            for node in range(network.topology.nodes)
        ]
        if self.batches.is_distributed:
            for report in self.reports:
                self.environment(report.running == self.batches.control.running)
                self.environment(~(report.running & report.filled))


def sequencing(harness: Harness, batches: Batches, controller: BatchController) -> None:
    """Claim that a controller keeps to `contract`, and what its registers hold.

    Parameters
    ----------
    harness : Harness
        Harness of the controller, or of a network that has it.
    batches : Batches
        Batches, followed by what the controller says.
    controller : BatchController
        The controller.
    """
    for rule in (*batches.rules(), *batches.register_facts()):
        harness.claim(rule)
    n = batches.n
    if not batches.is_distributed:
        counting(harness, batches, controller.sequencer)
        if batches.words > 1:
            harness.claim(harness.probe(controller.word) == batches.word)
    configured, due = harness.probe(controller.configured), harness.probe(controller.due)
    loads = batches.control.loads
    # Once all are loaded, a new table begins again with its first entry.
    whole = (batches.loaded == n) & ~loads.any()
    whole |= loads[0] & ((batches.loaded == n - 1) | (n == 1))
    harness.claim(~configured | whole)
    harness.claim(~batches.control.running | configured)
    for k in range(n):
        next_ = (
            Const(1)
            if k == n - 1
            else loads[k + 1]
            & harness.named((batches.loaded == n - 2 - k) | (k == n - 2), "follows")
        )
        before = (batches.loaded == n - 1 - k) & ~loads.any()
        harness.claim(~due[k] | next_ | before)
    harness.claim((due & (due - 1)) == 0)


def counting(harness: Harness, batches: Batches, sequencer: Sequencer) -> None:
    """Claim what the registers of a sequencer hold, of a controller or of a router."""
    for register, value in batches.expected.sequencing(batches, sequencer):
        harness.claim(harness.probe(register) == value)
    if batches.is_distributed and batches.expected.steps > 1:  # else it shows a constant
        harness.claim(harness.probe(sequencer.shown) == batches.schedule)


class _Configuration:
    """Jump table that arrives on the configuration stream.

    Members
    -------
    ready, comes, last : Value
        The controller takes entries; an entry comes; it is the last of its table.
    entry : View
        That entry.
    count : Signal
        Entries of the table that came before, up to n.
    sound, right : Value
        All of them name a buddy, or a 0; so does the one that comes.
    table : Signal
        A valid table is loaded.
    due : Value
        Dimension of the entry that comes, one-hot.
    """

    def __init__(self, harness: ControllerHarness) -> None:
        n, network = harness.batches.n, harness.network
        valid = harness.port("s_axis_config_tvalid")
        self.ready = harness.port("s_axis_config_tready")
        self.comes = harness.named(valid & self.ready, "comes")
        self.entry = data.View(entry_layout(network), harness.port("s_axis_config_tdata"))
        self.last = harness.port("s_axis_config_tlast")
        self.count = harness.register(range(n + 2), "count")
        self.sound = harness.register(1, "sound", init=1)
        self.table = harness.register(1, "table")
        self.right = self.sound & (self.entry.buddy <= n)
        self.due = Mux(self.count < n, (Const(1, n + 1) << n - 1) >> self.count, 0)[:n]
        with harness.m.If(self.comes):
            harness.m.d.sync += [
                self.count.eq(Mux(self.last, 0, Mux(self.count > n - 1, n, self.count + 1))),
                self.sound.eq(self.last | self.right),
                self.table.eq(self.last & self.right & (self.count == n - 1)),
            ]


def _claim_batches(harness: ControllerHarness) -> None:
    batches, network, m = harness.batches, harness.network, harness.m
    sequencing(harness, batches, harness.controller)
    n, running = batches.n, batches.control.running
    reports = harness.reports
    given = _Configuration(harness)
    starts = harness.register(1, "starts")
    was_comes, was_due = harness.register(1, "was_comes"), harness.register(n, "was_due")
    was_entry = harness.register(entry_layout(network).size, "was_entry")
    filled = Cat(report.filled for report in reports).all()
    m.d.sync += [
        starts.eq(~running & filled & given.table & ~given.comes),
        was_comes.eq(given.comes),
        was_due.eq(given.due),
        was_entry.eq(given.entry.as_value()),
    ]
    harness.claim(batches.began == starts)
    harness.claim(given.ready == ~running)
    harness.claim(harness.probe(harness.controller.configured) == given.table)
    harness.claim(harness.probe(harness.controller.due) == given.due)
    harness.claim(given.count <= n)
    inner = harness.probe(harness.controller.sound)
    is_short = given.count < n
    harness.claim((inner & is_short) == (given.sound & is_short))
    harness.claim(batches.control.loads == Mux(was_comes, was_due, 0))
    harness.claim(~was_comes | (batches.control.entry.as_value() == was_entry))
    flags: list[Value] = [
        Cat(report.flags[bit] for report in reports).any()
        for bit in range(network.routing.flag_width)
    ]
    harness.claim(harness.port("status") == Cat(*flags, ~given.table))
    harness.cover(batches.began)
    if n & (n + 1):  # else no number is above n
        harness.cover(given.comes & given.last & ~given.right)
    harness.cover(given.comes & given.last & (given.count == n))
    harness.cover(batches.control.done)


def controller_properties(network: Network) -> Sequence[Property]:
    """Properties of a controller."""
    steps, words = expected_steps(network), BatchParameters.of(network.hardware).words
    return [
        Property(
            name="batches",
            text="a batch begins when all routers have packets and a valid table is loaded, and "
            f"goes through its {steps} steps; status tells every flag",
            claim=_claim_batches,
            cover=steps * words + network.topology.address_width + 8,
        )
    ]
