"""Controller of the batches: its bench and its properties."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import controller_ports
from ...gateware.batch.layouts import entry_layout, report_layout
from ...network import Network
from ..harness import Bench
from ..prover import Property
from .contract import Batches


class ControllerBench(Bench):
    """Bench of a controller; routers report what they like, but have packets while a batch runs.

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


def sequencing(bench: Any, path: str) -> None:
    """Claim that a controller keeps to `contract`, and what is in its registers."""
    batches: Batches = bench.batches
    for rule in (*batches.rules(), *batches.known()):
        bench.claim(rule)
    n = batches.n
    for name, (bits, value) in batches.expected.sequencing(batches).items():
        bench.claim(bench.inside(f"{path}core.sequencer.{name}", bits) == value)
    if batches.words > 1:
        bits = len(batches.word)
        bench.claim(bench.inside(f"{path}core.word", bits) == batches.word)
    configured, due = bench.inside(f"{path}core.configured"), bench.inside(f"{path}core.due", n)
    loads = batches.control.loads
    # Once all are loaded nothing comes before a batch but from the first entry on.
    whole = (batches.loaded == n) & ~loads.any()
    whole |= loads[0] & (batches.loaded == n - 1)
    bench.claim(~configured | whole)
    bench.claim(~batches.control.running | configured)
    for k in range(n):
        next_ = (
            Const(1)
            if k == n - 1
            else loads[k + 1] & bench.named((batches.loaded == n - 2 - k) | (k == n - 2), "follows")
        )
        before = (batches.loaded == n - 1 - k) & ~loads.any()
        bench.claim(~due[k] | next_ | before)
    bench.claim((due & (due - 1)) == 0)


def _batches(bench: ControllerBench) -> None:
    batches, network = bench.batches, bench.network
    sequencing(bench, "")
    n = batches.n
    reports = [
        data.View(report_layout(network), bench.port("reports").word_select(i, size))
        for size in [report_layout(network).size]
        for i in range(network.topology.nodes)
    ]
    running = batches.control.running
    valid, ready = bench.port("s_axis_config_tvalid"), bench.port("s_axis_config_tready")
    comes = bench.named(valid & ready, "comes")
    entry: Any = data.View(entry_layout(network), bench.port("s_axis_config_tdata"))
    last = bench.port("s_axis_config_tlast")
    count = bench.register(range(n + 2), "count")
    sound, table = bench.register(1, "sound", init=1), bench.register(1, "table")
    right = sound & (entry.buddy <= n)
    starts = bench.register(1, "starts")
    was_comes, was_due = bench.register(1, "was_comes"), bench.register(n, "was_due")
    was_entry = bench.register(entry_layout(network).size, "was_entry")
    due = Mux(count < n, (Const(1, n + 1) << n - 1) >> count, 0)[:n]
    with bench.m.If(comes):
        bench.m.d.sync += [
            count.eq(Mux(last, 0, Mux(count > n - 1, n, count + 1))),
            sound.eq(last | right),
            table.eq(last & right & (count == n - 1)),
        ]
    filled = Cat(report.filled for report in reports).all()
    bench.m.d.sync += [
        starts.eq(~running & filled & table & ~comes),
        was_comes.eq(comes),
        was_due.eq(due),
        was_entry.eq(entry.as_value()),
    ]
    bench.claim(batches.began == starts)
    bench.claim(ready == ~running)
    bench.claim(bench.inside("core.configured") == table)
    bench.claim(bench.inside("core.due", n) == due)
    bench.claim(count <= n)
    inner = bench.inside("core.sound")
    bench.claim((inner & (count < n)) == (sound & (count < n)))
    bench.claim(batches.control.loads == Mux(was_comes, was_due, 0))
    bench.claim(~was_comes | (batches.control.entry.as_value() == was_entry))
    flags: list[Value] = [
        Cat(report.flags[bit] for report in reports).any()
        for bit in range(network.routing.flag_width)
    ]
    bench.claim(bench.port("status") == Cat(*flags, ~table))
    bench.cover(batches.began)
    if n & (n + 1):  # else there is no number above n
        bench.cover(comes & last & ~right)
    bench.cover(comes & last & (count == n))
    bench.cover(batches.control.done)


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
