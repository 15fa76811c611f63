"""Controller that loads tables: its harness, and when it lets routers swap."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ....emit.modules import controller_ports
from ....gateware.packet.loaded.layouts import (
    control_layout,
    lost_layout,
    report_layout,
    status_layout,
)
from ....network import Network
from ...harness import Harness
from ...property import Property


class LoadControllerHarness(Harness):
    """Harness of a controller, to which routers may report anything.

    Parameters
    ----------
    network : Network
        Network with loaded tables.
    name : str
        Name of the controller's module.
    """

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *controller_ports(network))
        self.routers = network.topology.routers
        reports = data.ArrayLayout(report_layout(network), self.routers)
        view = data.View(reports, self.port("reports"))
        self.reports = [view[router] for router in range(self.routers)]
        self.control = data.View(control_layout(network), self.port("control"))
        self.status = data.View(status_layout(network), self.port("status"))
        self.between = network.cycles_between_buffers
        self.packet_width = lost_layout(network).size


def _swaps(harness: LoadControllerHarness) -> None:
    """Claim that routers swap once all have reported for long enough that they are idle."""
    control, between = harness.control, harness.between
    empty = Cat(report.idle for report in harness.reports).all()
    still = control.hold & empty & ~control.swap
    rests = harness.register(range(between + 3), "rests")
    harness.m.d.sync += rests.eq(Mux(still, Mux(rests == between + 2, rests, rests + 1), 0))
    rested = harness.before(rests, "rested")
    before = harness.register(2, "holds_before")
    harness.m.d.sync += before.eq(Cat(control.hold & ~control.swap, before[0]))
    emptied = harness.register(1, "emptied")
    harness.m.d.sync += emptied.eq(empty)
    harness.claim(harness.inside("empty") == emptied)
    harness.claim(harness.inside("held") == (before[0] & ~control.swap))
    counted = harness.inside("rested", between.bit_length())
    harness.claim(counted == Mux(rested > between, 0, rested))
    # No sooner, and no later.
    harness.claim(control.swap == (rested == between + 1))
    harness.claim(~control.swap | (control.hold & before[0]))
    swapped = harness.register(1, "swapped")
    harness.m.d.sync += swapped.eq(control.swap)
    harness.claim(~before[0] | control.hold)
    harness.claim(~swapped | ~control.hold)
    harness.claim(~(swapped & control.swap))
    swaps = harness.register(1, "swaps")
    harness.m.d.sync += swaps.eq(swaps ^ control.swap)
    harness.claim(harness.status.swaps == swaps ^ control.swap)
    harness.claim(harness.status.waits == control.hold)
    harness.cover(control.swap)
    harness.cover(swaps)


def _words(harness: LoadControllerHarness) -> None:
    """Claim that every word reaches the routers, and a lost packet the status."""
    control = harness.control
    valid, ready = (harness.port(f"s_axis_config_{name}") for name in ("tvalid", "tready"))
    word, last = (harness.port(f"s_axis_config_{name}") for name in ("tdata", "tlast"))
    comes, given = harness.register(1, "comes"), harness.register(len(word), "word")
    ended = harness.register(1, "ended")
    harness.m.d.sync += [comes.eq(valid & ready), given.eq(word), ended.eq(valid & ready & last)]
    harness.claim(ready == ~control.hold)
    harness.claim(control.writes == comes)
    harness.claim(~comes | (Value.cast(control.word) == given))
    harness.claim(~ended | control.hold)
    lost, packet = harness.register(1, "lost"), harness.register(harness.packet_width, "packet")
    told: Value = Const(0, harness.packet_width)
    for report in harness.reports:
        told = told | Value.cast(report.packet)
    harness.m.d.sync += [
        lost.eq(Cat(report.lost for report in harness.reports).any()),
        packet.eq(told),
    ]
    harness.claim(harness.status.lost == lost)
    harness.claim(Value.cast(harness.status.packet) == packet)
    collect = harness.register(len(control.collect), "collect")
    harness.m.d.sync += collect.eq(control.collect)
    running = harness.register(1, "running")
    harness.m.d.sync += running.eq(1)
    after = (collect == harness.routers - 1) & (control.collect == 0)
    harness.claim(~running | after | (control.collect == collect + 1))
    harness.claim(control.collect < harness.routers)
    harness.cover(lost)
    harness.cover(ended)


def controller_properties(network: Network) -> Sequence[Property]:
    """Properties of a controller that loads tables."""
    del network
    return [
        Property(
            name="swaps",
            text="routers swap after all of them were idle, with nodes held, for so long that no "
            "flit is between two of them; and then once",
            claim=_swaps,
            induction=4,
        ),
        Property(
            name="words",
            text="every word reaches the routers, and every lost packet the status",
            claim=_words,
        ),
    ]
