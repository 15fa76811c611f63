"""Controller of the batches: its harness and its properties."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import controller_ports
from ...gateware.batch.layouts import entry_layout, report_layout
from ...network import Network
from ..harness import Harness
from ..prover import Property
from .contract import Batches


class ControllerHarness(Harness):
    """Harness of a controller; routers report what they like, but have packets while a batch runs.

    Parameters
    ----------
    network : Network
        Network with batches.
    name : str
        Name of the controller's module.
    """

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *controller_ports(network))
        self.network = network
        self.batches = Batches(self, network, self.port("control"))


def sequencing(harness: Any, path: str) -> None:
    """Claim that a controller keeps to `contract`, and what is in its registers."""
    batches: Batches = harness.batches
    for rule in (*batches.rules(), *batches.known()):
        harness.claim(rule)
    n = batches.n
    for name, (bits, value) in batches.expected.sequencing(batches).items():
        harness.claim(harness.inside(f"{path}core.sequencer.{name}", bits) == value)
    if batches.words > 1:
        bits = len(batches.word)
        harness.claim(harness.inside(f"{path}core.word", bits) == batches.word)
    configured, due = harness.inside(f"{path}core.configured"), harness.inside(f"{path}core.due", n)
    loads = batches.control.loads
    # Once all are loaded nothing comes before a batch but from the first entry on.
    whole = (batches.loaded == n) & ~loads.any()
    whole |= loads[0] & (batches.loaded == n - 1)
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


def _batches(harness: ControllerHarness) -> None:
    batches, network = harness.batches, harness.network
    sequencing(harness, "")
    n = batches.n
    reports = [
        data.View(report_layout(network), harness.port("reports").word_select(i, size))
        for size in [report_layout(network).size]
        for i in range(network.topology.nodes)
    ]
    running = batches.control.running
    valid, ready = harness.port("s_axis_config_tvalid"), harness.port("s_axis_config_tready")
    comes = harness.named(valid & ready, "comes")
    entry: Any = data.View(entry_layout(network), harness.port("s_axis_config_tdata"))
    last = harness.port("s_axis_config_tlast")
    count = harness.register(range(n + 2), "count")
    sound, table = harness.register(1, "sound", init=1), harness.register(1, "table")
    right = sound & (entry.buddy <= n)
    starts = harness.register(1, "starts")
    was_comes, was_due = harness.register(1, "was_comes"), harness.register(n, "was_due")
    was_entry = harness.register(entry_layout(network).size, "was_entry")
    due = Mux(count < n, (Const(1, n + 1) << n - 1) >> count, 0)[:n]
    with harness.m.If(comes):
        harness.m.d.sync += [
            count.eq(Mux(last, 0, Mux(count > n - 1, n, count + 1))),
            sound.eq(last | right),
            table.eq(last & right & (count == n - 1)),
        ]
    filled = Cat(report.filled for report in reports).all()
    harness.m.d.sync += [
        starts.eq(~running & filled & table & ~comes),
        was_comes.eq(comes),
        was_due.eq(due),
        was_entry.eq(entry.as_value()),
    ]
    harness.claim(batches.began == starts)
    harness.claim(ready == ~running)
    harness.claim(harness.inside("core.configured") == table)
    harness.claim(harness.inside("core.due", n) == due)
    harness.claim(count <= n)
    inner = harness.inside("core.sound")
    harness.claim((inner & (count < n)) == (sound & (count < n)))
    harness.claim(batches.control.loads == Mux(was_comes, was_due, 0))
    harness.claim(~was_comes | (batches.control.entry.as_value() == was_entry))
    flags: list[Value] = [
        Cat(report.flags[bit] for report in reports).any()
        for bit in range(network.routing.flag_width)
    ]
    harness.claim(harness.port("status") == Cat(*flags, ~table))
    harness.cover(batches.began)
    if n & (n + 1):  # else there is no number above n
        harness.cover(comes & last & ~right)
    harness.cover(comes & last & (count == n))
    harness.cover(batches.control.done)


def controller_properties(network: Network) -> Sequence[Property]:
    """Properties of a controller."""
    routing: Any = network.routing
    return [
        Property(
            name="batches",
            text="a batch begins when all routers have packets and a valid table is loaded, and "
            f"goes through its {routing.steps} steps; status tells every flag",
            claim=_batches,
            cover=routing.steps * network.hardware.words + network.topology.address_width + 8,
        )
    ]
