"""Routers whose tables are loaded in service, and the controller that loads them.

Each router's claims hold whatever its neighbours do, so together they hold of the network: once all
routers are idle while nodes are held, no flit is in any of them until the swap.
"""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.layouts import flit_layout
from ...gateware.packet.classes import class_port_name
from ...gateware.packet.credit_links import CreditCount
from ...gateware.packet.input_buffer import InputBuffer
from ...gateware.packet.loaded import (
    LoadController,
    LoadedTables,
    control_layout,
    lost_layout,
    report_layout,
    status_layout,
)
from ...gateware.packet.router import CreditRouter
from ...gateware.parts.parity import is_last
from ...gateware.parts.table_route import LoadedRoute
from ...gateware.router_class import node_suffix
from ...gateware.wiring_plan import controller_module, router_module
from ...network import Network, RouterKind
from ...router_kind import by_class
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .router_harness import router_gateware


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
        module = controller_module(network)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self.controller = self.component("", LoadController)
        self.routers = network.topology.routers
        reports = data.ArrayLayout(report_layout(network), self.routers)
        view = data.View(reports, self.port("reports"))
        self.reports = [view[router] for router in range(self.routers)]
        self.control = data.View(control_layout(network), self.port("control"))
        self.status = data.View(status_layout(network), self.port("status"))
        self.between = network.cycles_between_buffers
        self.packet_width = lost_layout(network).size


def _claim_swaps(harness: LoadControllerHarness) -> None:
    """Claim that routers swap once all have reported for long enough that they are idle."""
    control, between, controller = harness.control, harness.between, harness.controller
    empty = Cat(report.idle for report in harness.reports).all()
    still = control.hold & empty & ~control.swap
    rests = harness.register(range(between + 3), "rests")
    harness.m.d.sync += rests.eq(Mux(still, Mux(rests == between + 2, rests, rests + 1), 0))
    rested = harness.before(rests, "rested")
    before = harness.register(2, "holds_before")
    harness.m.d.sync += before.eq(Cat(control.hold & ~control.swap, before[0]))
    emptied = harness.register(1, "emptied")
    harness.m.d.sync += emptied.eq(empty)
    harness.claim(harness.probe(controller.empty) == emptied)
    harness.claim(harness.probe(controller.held) == (before[0] & ~control.swap))
    counted = harness.probe(controller.rested)
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


def _claim_words(harness: LoadControllerHarness) -> None:
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
    reported: Value = Const(0, harness.packet_width)
    for report in harness.reports:
        reported = reported | Value.cast(report.packet)
    harness.m.d.sync += [
        lost.eq(Cat(report.lost for report in harness.reports).any()),
        packet.eq(reported),
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
            claim=_claim_swaps,
            induction=4,
        ),
        Property(
            name="words",
            text="every word reaches the routers, and every lost packet the status",
            claim=_claim_words,
        ),
    ]


class LoadedHarness(Harness):
    """Harness of a router; links, nodes and controller may do anything.

    Members
    -------
    control, report : View
        From the controller and to it.
    tables : LoadedTables
        What the router has beside others.
    dead : Value
        Whether the link at each of ``kind.links`` is dead.
    inputs : dict of str to list of int
        Virtual channels of each input port, by its name.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        ports = planned_ports(network, router_module(network, kind))
        super().__init__(kind.name, *ports, router_gateware(network, kind))
        self.network, self.kind = network, kind
        self.number = self.constant("number")
        self.control = data.View(control_layout(network), self.port("control"))
        self.report = data.View(report_layout(network), self.port("report"))
        self.router = self.component("", CreditRouter)
        self.tables = LoadedTables.among(self.router.options)
        self.dead = self.probe(self.tables.dead_links)
        self.inputs: dict[str, list[int]] = {}
        for one in by_class(network.routing, kind):
            for port in filter(one.input_vcs, one.ports):
                name = class_port_name(network.topology.ports[port], one)
                self.inputs[name] = one.input_vcs(port)

    def link(self, port: int, member: str) -> Value:
        """Signal of a link, ``i_valid``."""
        return self.port(f"{self.network.topology.ports[port]}_{member}")

    def flit(self, value: Value) -> data.View:
        """Flit as its fields."""
        return data.View(flit_layout(self.network), value)


def _claim_idle(harness: LoadedHarness) -> None:
    """Claim that an idle router holds no flit, and that it stays so while it is held.

    But for a flit that it has granted: `Network.cycles_to_link` cycles later that is on its link,
    or is reported as lost from the next cycle on.
    """
    kind, control, idle = harness.kind, harness.control, harness.report.idle
    comes = Cat(harness.link(port, "i_valid") for port in kind.receiving).any()
    leaves = Cat(harness.link(port, "o_valid") for port in kind.sending).any()
    cycles = harness.network.cycles_to_link
    rested = harness.register(range(cycles + 2), "rested")
    with harness.m.If(~control.hold | ~idle | comes):
        harness.m.d.sync += rested.eq(0)
    with harness.m.Elif(rested <= cycles):
        harness.m.d.sync += rested.eq(rested + 1)
    harness.claim((rested < cycles) | ~leaves)
    harness.claim((rested <= cycles) | idle)
    for port in kind.sending:
        name = harness.network.topology.ports[port]
        for stage, dropped in enumerate(harness.tables.senders[port].dropped):
            harness.claim((rested <= stage) | ~harness.probe(dropped).any())
        if cycles > 1:
            for vc in range(harness.network.virtual_channels):
                credits = harness.component(f"credits_{name}_vc{vc}", CreditCount)
                harness.claim((rested == 0) | ~harness.probe(credits.taken_before))
    for node in kind.node_ports:
        taken = harness.port(f"s_axis{node_suffix(harness.network, node)}_tready")
        harness.claim(~(control.hold & idle & taken))
    for port in harness.inputs:
        buffer = harness.component(f"input_{port}.buffer", InputBuffer)
        nonempty, two = harness.probe(buffer.nonempty), harness.probe(buffer.at_least_two)
        harness.claim(~(idle & nonempty.any()))
        harness.claim((two & ~nonempty) == 0)
        turn = harness.probe(harness.router.inputs[port].front.turn)
        harness.claim(~turn.any() | nonempty.any())
    harness.cover(rested > cycles)
    harness.cover(~idle & control.hold)


def _claim_swap(harness: LoadedHarness) -> None:
    """Claim what changes with a swap, and that nothing else that decides a turn changes."""
    control, kind, tables = harness.control, harness.kind, harness.tables
    swapped = harness.before(control.swap, "swapped")
    bank, loaded = harness.probe(tables.bank), harness.probe(tables.loaded)
    was_bank = harness.before(bank, "was_bank")
    was_loaded = harness.before(loaded, "was_loaded")
    harness.claim(bank == was_bank ^ swapped)
    harness.claim(loaded == (was_loaded | swapped))
    word = control.word
    declares = control.writes & word.dead & (word.router == harness.number)
    named = Cat(declares & (word.output.port == port) for port in kind.links)
    marks = harness.register(len(harness.dead), "marks")
    harness.m.d.sync += marks.eq(Mux(control.swap, 0, marks | named))
    harness.claim(harness.probe(tables.next_dead) == marks)
    was_dead = harness.before(harness.dead, "was_dead")
    was_marks = harness.before(marks, "was_marks")
    died = harness.before(named, "died")
    harness.claim(harness.dead == Mux(swapped, was_marks, was_dead | died))
    for port, vcs in harness.inputs.items():
        for vc in vcs:
            route = harness.component(f"route_{port}_vc{vc}", LoadedRoute)
            harness.claim(harness.probe(route.write_address)[-1] == ~bank)
            harness.claim(harness.probe(route.read_address)[-1] == bank)
            harness.cover(harness.probe(route.writes))
    harness.cover(swapped & loaded & was_loaded)


def _claim_senders(harness: LoadedHarness) -> None:
    """Claim that no flit granted while a link is dead leaves, and what becomes of its packet."""
    chosen, swap = harness.control.collect == harness.number, harness.control.swap
    network = harness.network
    packet_told: Value = data.View(lost_layout(network), harness.report.packet).as_value()
    reported_now = []
    for port in harness.kind.sending:
        name, sender = network.topology.ports[port], harness.tables.senders[port]
        valid = harness.link(port, "o_valid")
        dead, count = harness.dead[harness.kind.links.index(port)], len(valid)
        taken, flit = harness.probe(sender.taken), harness.probe_view(sender.i.flit)
        last = is_last(flit)
        sent: Value = Mux(dead, 0, taken)
        dropped: Value = Mux(dead, taken, 0)
        under_way: list[Value] = []
        for stage, inside in enumerate(sender.dropped):
            sent = harness.before(Mux(swap, 0, sent), f"sent_{name}_{stage}")
            dropped = harness.before(dropped, f"dropped_{name}_{stage}")
            under_way.append(dropped)
            harness.claim(harness.probe(inside) == dropped)
        harness.claim(valid == sent)
        begun = harness.register(count, f"begun_{name}")
        for vc in range(count):
            with harness.m.If(valid[vc] | (dropped[vc] & last)):
                harness.m.d.sync += begun[vc].eq(valid[vc] & ~last)
        harness.claim(harness.probe(sender.sending) == begun)
        lost, packet = harness.probe(sender.lost), harness.probe(sender.packet)
        ends = (dropped & ~begun).any() & last
        ended = harness.before(ends, f"ended_{name}")
        addresses = Cat(flit.destination, flit.source)
        was_packet = harness.before(Mux(ends, addresses, packet), f"packet_{name}")
        was_lost = harness.before(lost, f"lost_{name}")
        clears = harness.probe(sender.reported)
        was_clear = harness.before(clears, f"reported_{name}")
        harness.claim(lost == (ended | (was_lost & ~was_clear)))
        harness.claim(~lost | (packet == was_packet))
        # So no report is overwritten: of dropped flits and reports there is one at a time.
        held = Cat(lost, *(one.any() for one in under_way))
        harness.claim((held & (held - 1)[: len(held)]) == 0)
        harness.claim(~clears | (lost & chosen & harness.report.lost & (packet_told == packet)))
        harness.cover(ends)
        harness.cover(clears)
        reported_now.append(clears)
    harness.claim(harness.report.lost == Cat(reported_now).any())


def _claim_receivers(harness: LoadedHarness) -> None:
    """Claim what comes over a dead link, and that each packet that it cut is ended."""
    for port in harness.kind.receiving:
        name, receiver = harness.network.topology.ports[port], harness.tables.receivers[port]
        valid, credit = harness.link(port, "i_valid"), harness.link(port, "i_credit")
        dead, count = harness.dead[harness.kind.links.index(port)], len(valid)
        given, full = harness.probe(receiver.o.valid), harness.probe(receiver.full)
        flit, link = harness.probe_view(receiver.o.flit), harness.link(port, "i_flit")
        several = Cat(valid[vc] & valid[:vc].any() for vc in range(count)).any()
        harness.environment(~several & (valid.any() | (link == 0)))
        harness.claim(~(dead & credit.any()))
        harness.claim(dead | ((given == valid) & (flit.as_value() == link)))
        harness.claim(~valid.any() | ((given & ~valid) == 0))
        begun = harness.register(count, f"begun_{name}")
        cut = harness.register(count, f"cut_{name}")
        addresses = Cat(flit.destination, flit.source)
        closes = harness.named(given & ~valid, f"closes_{name}")
        for vc in range(count):
            kept = harness.register(len(addresses), f"addresses_{name}")
            with harness.m.If(given[vc]):
                harness.m.d.sync += [begun[vc].eq(~is_last(flit)), kept.eq(addresses)]
            harness.m.d.sync += cut[vc].eq(
                dead & (closes[vc] | (cut[vc] & ~(valid[vc] & is_last(harness.flit(link)))))
            )
            harness.claim(~closes[vc] | (begun[vc] & ~full[vc] & (addresses == kept)))
            harness.claim(~(valid[vc] & ~given[vc]) | cut[vc])
            harness.claim(~begun[vc] | (harness.probe(receiver.packets[vc]) == kept))
            harness.cover(closes[vc])
        harness.claim(harness.probe(receiver.opened) == begun)
        harness.claim(harness.probe(receiver.cut) == cut)
        harness.claim(~closes.any() | (dead & is_last(flit) & flit.lost))
        waits = dead & ~valid.any() & (begun & ~full).any()
        harness.claim(~waits | closes.any())


IDLE = Property(
    name="idle",
    text="a router that reports that it is idle holds no flit in a buffer; a few cycles later it "
    "has sent or dropped all, and stays so while nodes are held and none comes",
    claim=_claim_idle,
)
SWAP = Property(
    name="swap",
    text="tables and links that revive change with a swap alone; words reach the idle bank",
    claim=_claim_swap,
)
LOST = Property(
    name="lost",
    text="a flit granted while its link is dead does not leave; a packet of which nothing was sent "
    "is reported, once",
    claim=_claim_senders,
)
CLOSED = Property(
    name="closed",
    text="a packet that a dead link cut gets a last flit marked as lost, when there is a place for "
    "it; what comes of it later is dropped; a dead link gives no credits",
    claim=_claim_receivers,
)


def router_properties() -> Sequence[Property]:
    """Properties of a router whose tables are loaded in service."""
    return [IDLE, SWAP, LOST, CLOSED]
