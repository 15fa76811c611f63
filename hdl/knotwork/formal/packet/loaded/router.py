"""Router whose tables are loaded in service: its harness, and what is claimed of a swap."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib import data

from ....emit.modules import router_ports
from ....gateware.layouts import flit_layout
from ....gateware.packet.loaded.layouts import control_layout, lost_layout, report_layout
from ....gateware.router_class import node_suffix
from ....network import Network, RouterKind
from ...harness import Harness
from ...property import Property


class LoadedHarness(Harness):
    """Harness of a router; links, nodes and controller may do anything.

    Members
    -------
    control, report : View
        From the controller and to it.
    dead : Value
        Whether the link at each of ``kind.links`` is dead.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(kind.name, *router_ports(network, kind))
        self.network, self.kind = network, kind
        self.number = self.constant("number")
        self.control = data.View(control_layout(network), self.port("control"))
        self.report = data.View(report_layout(network), self.port("report"))
        self.dead = self.inside("dead_links", len(kind.links))

    def link(self, port: int, member: str) -> Value:
        """Signal of a link, ``i_valid``."""
        return self.port(f"{self.network.topology.ports[port]}_{member}")

    def flit(self, value: Value) -> data.View:
        """Flit as its fields."""
        return data.View(flit_layout(self.network), value)


def _idle(harness: LoadedHarness) -> None:
    """Claim that an idle router holds no flit, and that it stays so while it is held."""
    kind, control, idle = harness.kind, harness.control, harness.report.idle
    comes = Cat(harness.link(port, "i_valid") for port in kind.receiving).any()
    leaves = Cat(harness.link(port, "o_valid") for port in kind.sending).any()
    rests = harness.before(control.hold & idle & ~comes, "rests")
    harness.claim(~rests | idle)
    harness.claim(~(idle & leaves))
    for port in kind.node_ports:
        taken = harness.port(f"s_axis{node_suffix(harness.network, port)}_tready")
        harness.claim(~(control.hold & idle & taken))
    for port in kind.ports:
        for vc in kind.input_vcs(port):
            name = f"input_{harness.network.topology.ports[port]}_vc{vc}.buffer.o_valid"
            harness.claim(~(idle & harness.inside(name)))
    harness.cover(rests)
    harness.cover(~idle & control.hold)


def _swap(harness: LoadedHarness) -> None:
    """Claim what changes with a swap, and that nothing else that decides a turn changes."""
    control, kind = harness.control, harness.kind
    swapped = harness.before(control.swap, "swapped")
    bank, loaded = harness.inside("bank"), harness.inside("loaded")
    was_bank = harness.before(bank, "was_bank")
    was_loaded = harness.before(loaded, "was_loaded")
    harness.claim(bank == was_bank ^ swapped)
    harness.claim(loaded == (was_loaded | swapped))
    word = control.word
    declares = control.writes & word.dead & (word.router == harness.number)
    named = Cat(declares & (word.output.port == port) for port in kind.links)
    marks = harness.register(len(harness.dead), "marks")
    harness.m.d.sync += marks.eq(Mux(control.swap, 0, marks | named))
    harness.claim(harness.inside("next_dead", len(marks)) == marks)
    was_dead = harness.before(harness.dead, "was_dead")
    was_marks = harness.before(marks, "was_marks")
    died = harness.before(named, "died")
    harness.claim(harness.dead == Mux(swapped, was_marks, was_dead | died))
    width = harness.network.topology.address_width
    for port in kind.ports:
        for vc in kind.input_vcs(port):
            route = f"input_{harness.network.topology.ports[port]}_vc{vc}.route"
            into, out_of = (
                harness.inside(f"{route}.{name}", 1 + width) for name in ("into", "out_of")
            )
            harness.claim(into[-1] == ~bank)
            harness.claim(out_of[-1] == bank)
            harness.cover(harness.inside(f"{route}.writes"))
    harness.cover(swapped & loaded & was_loaded)


def _senders(harness: LoadedHarness) -> None:
    """Claim that over a dead link nothing leaves, and what becomes of each packet for it."""
    chosen = harness.control.collect == harness.number
    told: Value = data.View(lost_layout(harness.network), harness.report.packet).as_value()
    for port in harness.kind.sending:
        name = harness.network.topology.ports[port]
        valid, ready = harness.link(port, "o_valid"), harness.link(port, "o_ready")
        dead, count = harness.dead[harness.kind.links.index(port)], len(valid)
        given, takes = (
            harness.inside(f"sender_{name}.{wire}", count) for wire in ("i_valid", "i_ready")
        )
        flit = harness.flit(
            harness.inside(f"sender_{name}.i_flit", flit_layout(harness.network).size)
        )
        harness.claim(~(dead & valid.any()))
        begun = harness.register(count, f"begun_{name}")
        drops = Mux(dead, given & takes, 0)
        for vc in range(count):
            crosses = valid[vc] & ready[vc]
            with harness.m.If(crosses | (drops[vc] & flit.last)):
                harness.m.d.sync += begun[vc].eq(crosses & ~flit.last)
        harness.claim(harness.inside(f"sender_{name}.opened", count) == begun)
        lost = harness.inside(f"sender_{name}.lost")
        size = lost_layout(harness.network).size
        packet = harness.inside(f"sender_{name}.packet", size)
        ends = (drops & ~begun).any() & flit.last
        ended = harness.before(ends, f"ended_{name}")
        addresses = Cat(flit.destination, flit.source)
        was_packet = harness.before(Mux(ends, addresses, packet), f"packet_{name}")
        was_lost = harness.before(lost, f"lost_{name}")
        clears = harness.inside(f"sender_{name}.told")
        was_told = harness.before(clears, f"told_{name}")
        harness.claim(lost == (ended | (was_lost & ~was_told)))
        harness.claim(~lost | (packet == was_packet))
        harness.claim(~(ends & lost))
        harness.claim(~clears | (lost & chosen & harness.report.lost & (told == packet)))
        harness.cover(ends)
        harness.cover(clears)
    told_now = [
        harness.inside(f"sender_{harness.network.topology.ports[port]}.told")
        for port in harness.kind.sending
    ]
    harness.claim(harness.report.lost == Cat(told_now).any())


def _receivers(harness: LoadedHarness) -> None:
    """Claim that nothing comes over a dead link, and that each packet that has begun is ended."""
    for port in harness.kind.receiving:
        name = harness.network.topology.ports[port]
        valid, ready = harness.link(port, "i_valid"), harness.link(port, "i_ready")
        dead, count, size = (
            harness.dead[harness.kind.links.index(port)],
            len(valid),
            flit_layout(harness.network).size,
        )
        given, takes = (
            harness.inside(f"receiver_{name}.{wire}", count) for wire in ("o_valid", "o_ready")
        )
        shown = harness.inside(f"receiver_{name}.o_flit", size)
        flit, link = harness.flit(shown), harness.link(port, "i_flit")
        harness.claim(~(dead & ready.any()))
        harness.claim(dead | ((given == valid) & (shown == link) & (ready == takes)))
        begun = harness.register(count, f"begun_{name}")
        addresses = Cat(flit.destination, flit.source)
        for vc in range(count):
            kept = harness.register(len(addresses), f"addresses_{name}")
            harness.environment(~(valid[vc] & Cat(valid[:vc], valid[vc + 1 :]).any()))
            with harness.m.If(given[vc] & takes[vc]):
                harness.m.d.sync += [begun[vc].eq(~flit.last), kept.eq(addresses)]
            harness.claim(~(begun[vc] & dead & given[vc]) | (addresses == kept))
            packet = harness.inside(f"receiver_{name}.packet_vc{vc}", len(addresses))
            harness.claim(~begun[vc] | (packet == kept))
            harness.cover(dead & given[vc] & takes[vc])
        harness.claim(harness.inside(f"receiver_{name}.opened", count) == begun)
        harness.claim(~dead | (given.any() == begun.any()))
        harness.claim(~dead | ~given.any() | ((given & ~begun) == 0))
        harness.claim(~dead | ~given.any() | (flit.last & flit.lost))


IDLE = Property(
    name="idle",
    text="a router that tells that it is idle holds no flit, and stays so while nodes are held "
    "and none comes",
    claim=_idle,
)
SWAP = Property(
    name="swap",
    text="tables and links that revive change with a swap alone; words reach the idle bank",
    claim=_swap,
)
LOST = Property(
    name="lost",
    text="nothing leaves over a dead link; a packet that did not begin to cross is told of, once",
    claim=_senders,
)
CLOSED = Property(
    name="closed",
    text="nothing comes over a dead link; a packet that had begun gets a last flit marked as lost",
    claim=_receivers,
)


def router_properties() -> Sequence[Property]:
    """Properties of a router whose tables are loaded in service."""
    return [IDLE, SWAP, LOST, CLOSED]
