"""All that stands between a node's streams and its plane."""

from itertools import pairwise

from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    Module,
    ResetSignal,
    ShapeLike,
    Signal,
    Value,
)
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.untyped import Interface

from ...payload import Payload
from .converters import Ejection, Header, Injection, node_layout, plane_layout
from .crossings import (
    FULL_RATE,
    ClockWatch,
    Crossing,
    EventCrossing,
    LinkResets,
    MesochronousCrossing,
)
from .guards import EjectionGuard, InjectionGuard


class NodeAdapter(wiring.Component):
    """Joins a node to its plane: of another width, and with a clock of its own where it has one.

    A crossing carries what is wider, beats of the node or flits, so that neither clock holds up
    the other's width. While the node's clock stands still or the node is in reset, its packets are
    dropped, and what it has begun to send is ended: the network never waits for it.

    Latency
    -------
    Of `Injection` and `Ejection`; with a clock of its own, that of `Crossing` besides, and 1 cycle
    on the way in.

    Parameters
    ----------
    width : int
        Bits of the node's beats.
    payload : Payload
        What the plane's flits carry.
    inject_header, eject_header : mapping of str to shape
        Fields of the plane's beats beside data and `last`: `header_of` its layouts.
    domain : str
        Clock of the node; ``sync`` is the network's.
    depth : int
        Words of each crossing.
    timeout : int
        Cycles of the network without an edge of the node's clock after which it has stopped.
    mesochronous : bool
        The node's clock has the network's frequency: `MesochronousCrossing` in place of `Crossing`.

    Members
    -------
    inject : In(stream of node_layout)
        From the node, at its clock.
    eject : Out(stream of node_layout)
        To the node, at its clock.
    refused, sparse : Out(1)
        High for one cycle, at the node's clock, for each of its packets that the network refused,
        and for each with a broken `keep`; the latter only with `keep`.
    to_plane : Out(stream of plane_layout)
        Beats to the plane.
    from_plane : In(stream of plane_layout)
        Beats from the plane.
    plane_refused : In(1)
        The plane's `refused`.
    dropped, cut : Out(1)
        High for one cycle, at the network's clock, for each packet dropped on its way to the node,
        and cut short on its way from it; only with a clock of its own.
    slipped : Out(1)
        A mesochronous clock has stood still, or come apart from the network's: it counts as stopped
        until the node is reset. At the network's clock.
    """

    inject: stream.Interface
    eject: stream.Interface
    to_plane: stream.Interface
    from_plane: stream.Interface
    plane_refused: Signal
    refused: Signal
    sparse: Signal
    dropped: Signal
    cut: Signal
    slipped: Signal

    def __init__(
        self,
        *,
        width: int,
        payload: Payload,
        inject_header: Header,
        eject_header: Header,
        domain: str = "sync",
        depth: int = FULL_RATE,
        timeout: int = 1024,
        mesochronous: bool = False,
    ) -> None:
        self._width, self._payload, self._domain = width, payload, domain
        self._inject: dict[str, ShapeLike] = dict(inject_header)
        self._eject: dict[str, ShapeLike] = dict(eject_header)
        self._depth, self._timeout, self._mesochronous = depth, timeout, mesochronous
        members = {
            "inject": In(stream.Signature(node_layout(width, payload, inject_header))),
            "eject": Out(stream.Signature(node_layout(width, payload, eject_header))),
            "refused": Out(1),
            "to_plane": Out(stream.Signature(plane_layout(payload, inject_header))),
            "from_plane": In(stream.Signature(plane_layout(payload, eject_header))),
            "plane_refused": In(1),
        }
        if payload.keep:
            members["sparse"] = Out(1)
        if domain != "sync":
            members |= {"dropped": Out(1), "cut": Out(1)}
        if mesochronous:
            members["slipped"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        payload = self._payload
        injection = Injection(width=self._width, payload=payload, header=self._inject)
        ejection = Ejection(width=self._width, payload=payload, header=self._eject)
        if self._domain != "sync":
            self._own_clock(m, injection, ejection)
            return m
        m.submodules.injection, m.submodules.ejection = injection, ejection
        wiring.connect(m, wiring.flipped(self.inject), injection.i)
        wiring.connect(m, injection.o, wiring.flipped(self.to_plane))
        wiring.connect(m, wiring.flipped(self.from_plane), ejection.i)
        wiring.connect(m, ejection.o, wiring.flipped(self.eject))
        m.d.comb += self.refused.eq(self.plane_refused)
        if payload.keep:
            m.d.comb += self.sparse.eq(injection.sparse)
        return m

    def _own_clock(self, m: Module, injection: Injection, ejection: Ejection) -> None:
        """The same with crossings, in two domains that are reset together."""
        resets = _reset_together(m, self._domain)
        m.submodules.watch = watch = ClockWatch(timeout=self._timeout, domain=self._domain)
        is_wide = self._width > self._payload.data_width
        at_side = DomainRenamer("plane" if is_wide else "port")
        m.submodules.injection, m.submodules.ejection = at_side(injection), at_side(ejection)
        into = InjectionGuard(payload=self._payload, header=self._inject)
        out = EjectionGuard(payload=self._payload, header=self._eject)
        m.submodules.injection_guard, m.submodules.ejection_guard = into, out
        beats, flits = (injection.i, ejection.o), (injection.o, ejection.i)
        kind = MesochronousCrossing if self._mesochronous else Crossing
        there, back = (
            kind(shape=side.p.shape(), depth=self._depth, i_domain=i_domain, o_domain=o_domain)
            for side, (i_domain, o_domain) in zip(beats if is_wide else flits, _WAYS, strict=True)
        )
        m.submodules.injection_crossing, m.submodules.ejection_crossing = there, back
        stopped = watch.stopped
        if isinstance(there, MesochronousCrossing):
            m.d.comb += self.slipped.eq(there.slipped)
            stopped = stopped | there.slipped
        for guard in (into, out):
            m.d.comb += [guard.stopped.eq(stopped), guard.flushed.eq(resets.plane)]
        way_in = [there, injection] if is_wide else [injection, there]
        way_out = [ejection, back] if is_wide else [back, ejection]
        # The node may leave its reset before its side of the crossings does.
        inject = _opened(m, resets.port, self.inject, "inject")
        _join(m, [*way_in, into], inject, self.to_plane)
        _join(m, [out, *way_out[:-1]], self.from_plane, way_out[-1].i)
        eject = _opened(m, resets.port, way_out[-1].o, "eject")
        _pass_on(m, eject, self.eject)
        m.d.comb += [self.dropped.eq(out.dropped), self.cut.eq(into.cut)]
        _forward_pulse(m, "refused", self.refused, self.plane_refused)
        if self._payload.keep and is_wide:
            _forward_pulse(m, "sparse", self.sparse, injection.sparse)
        elif self._payload.keep:
            m.d.comb += self.sparse.eq(injection.sparse)


_WAYS = ("port", "plane"), ("plane", "port")
"""Clocks of the crossing from a node, and of the one to it."""


def _reset_together(m: Module, domain: str) -> LinkResets:
    """Domains `port` and `plane`: the node's clock and the network's, with common resets."""
    m.submodules.resets = resets = LinkResets(domain=domain)
    m.domains.port = ClockDomain("port", async_reset=True, local=True)
    m.domains.plane = ClockDomain("plane", local=True)
    m.d.comb += [
        ClockSignal("port").eq(ClockSignal(domain)),
        ResetSignal("port").eq(resets.port),
        ClockSignal("plane").eq(ClockSignal("sync")),
        ResetSignal("plane").eq(resets.plane),
    ]
    return resets


def _forward_pulse(m: Module, name: str, output: Value, pulse: Value) -> None:
    """Bring a pulse from the network's clock to the node's."""
    m.submodules[f"{name}_crossing"] = crossing = EventCrossing(i_domain="plane", o_domain="port")
    m.d.comb += [crossing.i.eq(pulse), output.eq(crossing.o)]


def _join(m: Module, parts: list[Interface], i: stream.Interface, o: stream.Interface) -> None:
    """Let a stream run through parts."""
    for before, after in pairwise(parts):
        wiring.connect(m, before.o, after.i)
    _pass_on(m, i, parts[0].i)
    _pass_on(m, parts[-1].o, o)


def _pass_on(m: Module, i: stream.Interface, o: stream.Interface) -> None:
    """Let a stream be what another is."""
    m.d.comb += [o.p.eq(i.p), o.valid.eq(i.valid), i.ready.eq(o.ready)]


def _opened(m: Module, closed: Signal, i: stream.Interface, name: str) -> stream.Interface:
    """A stream that moves nothing while it is closed."""
    inner = i.signature.create(path=(name,))
    m.d.comb += [
        inner.p.eq(i.p),
        inner.valid.eq(i.valid & ~closed),
        i.ready.eq(inner.ready & ~closed),
    ]
    return inner
