"""Converters between beats of a node's width and flits of the network's."""

from collections.abc import Mapping

from amaranth.hdl import Assert, Const, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...payload import BYTE, Payload

Header = Mapping[str, ShapeLike]
"""Shape of each field that a beat has beside its data: `destination`, `source`, `broadcast`..."""


def node_layout(width: int, payload: Payload, header: Header) -> data.StructLayout:
    """Beat of a node; `keep` has a bit per byte, of which a last beat's highest may be 0."""
    members: dict[str, ShapeLike] = {"data": width}
    if payload.keep:
        members["keep"] = width // BYTE
    members["last"] = 1
    if payload.user_width:
        members["user"] = payload.user_width
    return data.StructLayout(members | dict(header))


def plane_layout(payload: Payload, header: Header) -> data.StructLayout:
    """Beat of a plane, equal to `inject_layout` or `eject_layout` of its network."""
    return data.StructLayout({"data": payload.width, "last": 1, **header})


def units_layout(width: int, payload: Payload, header: Header) -> data.StructLayout:
    """Beat of whole units; `absent` of its highest ones are none, only in a packet's last beat."""
    members: dict[str, ShapeLike] = {"data": width}
    if payload.absent_bits(width):
        members["absent"] = payload.absent_bits(width)
    members["last"] = 1
    return data.StructLayout(members | dict(header))


def header_of(layout: data.StructLayout) -> dict[str, ShapeLike]:
    """Fields of a network's beat beside its data and its last mark."""
    return {name: shape for name, shape in layout.members.items() if name not in ("data", "last")}


def with_user(header: Header, payload: Payload) -> dict[str, ShapeLike]:
    """Fields beside a beat's data, `user` among them where packets carry it."""
    return dict(header) | ({"user": payload.user_width} if payload.user_width else {})


def resized(
    m: Module,
    beats: stream.Interface,
    widths: tuple[int, int],
    payload: Payload,
    side: Mapping[str, ShapeLike],
) -> "tuple[stream.Interface, Gatherer | Splitter | None]":
    """Stream of `units_layout` in the second of two widths, and submodule ``width`` if needed.

    Its latency is 0 cycles; see `Gatherer` and `Splitter`.
    """
    narrow, wide = sorted(widths)
    if narrow == wide:
        return beats, None
    make = Gatherer if widths[0] == narrow else Splitter
    m.submodules.width = part = make(narrow=narrow, wide=wide, payload=payload, header=side)
    wiring.connect(m, beats, part.i)
    return part.o, part


class Gatherer(Component):
    """Joins narrow beats to wide ones, the first lowest; a packet's end also ends a wide beat.

    Places behind a packet's last narrow beat are 0 and marked as absent. Fields beside the data are
    those of the narrow beat that ends the wide one, which must not change within a packet.

    Latency
    -------
    0 cycles from the narrow beat that ends a wide one. It takes one narrow beat per cycle, unless
    `o` refuses a wide one.

    Parameters
    ----------
    narrow, wide : int
        Bits of data of each beat; `wide` is a multiple of `narrow`.
    payload : Payload
        Units.
    header : mapping of str to shape
        Fields beside the data.

    Members
    -------
    i : In(stream of units_layout(narrow))
        Narrow beats.
    o : Out(stream of units_layout(wide))
        Wide beats.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, narrow: int, wide: int, payload: Payload, header: Header) -> None:
        self._narrow, self._pieces = narrow, wide // narrow
        self._units = narrow // payload.unit
        self._header = header
        super().__init__(
            {
                "i": In(stream.Signature(units_layout(narrow, payload, header))),
                "o": Out(stream.Signature(units_layout(wide, payload, header))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat: View = self.i.p
        wide: View = self.o.p
        self.place = place = Signal(range(self._pieces), name="place")
        ends, moves = Signal(name="ends"), Signal(name="moves")
        m.d.comb += [
            ends.eq(beat.last | (place == self._pieces - 1)),
            self.o.valid.eq(self.i.valid & ends),
            self.i.ready.eq(self.o.ready | ~ends),
            moves.eq(self.i.valid & self.i.ready),
            wide.last.eq(beat.last),
        ]
        m.d.comb += [wide[name].eq(beat[name]) for name in self._header]
        with m.If(moves):
            m.d.sync += place.eq(place + 1)
            with m.If(ends):
                m.d.sync += place.eq(0)
        absent = beat.absent if "absent" in self.i.p.shape().members else Const(0)
        if "absent" in self.o.p.shape().members:
            behind = Signal(range((self._pieces - 1) * self._units + 1), name="behind")
            m.d.comb += [
                behind.eq((self._pieces - 1 - place) * self._units),
                wide.absent.eq(behind + absent),
            ]
        self._pieces_of(m, place, moves, ends)
        m.d.sync += Assert(
            ~self.i.valid | beat.last | (absent == 0), "gatherer: only a last beat lacks units"
        )
        return m

    def _pieces_of(self, m: Module, place: Signal, moves: Signal, ends: Signal) -> None:
        """The wide beat's data: pieces that are held, the one that comes, and zeros."""
        beat: View = self.i.p
        wide: View = self.o.p
        self.kept: list[Signal] = []
        for number in range(self._pieces):
            here = wide.data.word_select(number, self._narrow)
            now = Signal(self._narrow, name=f"now_{number}")
            m.d.comb += here.eq(now)
            with m.If(place == number):
                m.d.comb += now.eq(beat.data)
            if number == self._pieces - 1:
                continue
            kept = Signal(self._narrow, name=f"kept_{number}", reset_less=True)
            self.kept.append(kept)
            with m.If(place > number):
                m.d.comb += now.eq(kept)
            with m.If(moves & ~ends & (place == number)):
                m.d.sync += kept.eq(beat.data)


class Splitter(Component):
    """Sends each wide beat as narrow ones, the lowest first, without those that lack all units.

    Fields beside the data stand on every narrow beat.

    Latency
    -------
    0 cycles from a wide beat to its first narrow one; one narrow beat per cycle follows. The wide
    beat is taken with its last narrow one.

    Parameters
    ----------
    narrow, wide : int
        Bits of data of each beat; `wide` is a multiple of `narrow`.
    payload : Payload
        Units.
    header : mapping of str to shape
        Fields beside the data.

    Members
    -------
    i : In(stream of units_layout(wide))
        Wide beats.
    o : Out(stream of units_layout(narrow))
        Narrow beats.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, narrow: int, wide: int, payload: Payload, header: Header) -> None:
        self._narrow, self._pieces = narrow, wide // narrow
        self._units = narrow // payload.unit
        self._header = header
        super().__init__(
            {
                "i": In(stream.Signature(units_layout(wide, payload, header))),
                "o": Out(stream.Signature(units_layout(narrow, payload, header))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat: View = self.i.p
        narrow: View = self.o.p
        self.place = place = Signal(range(self._pieces), name="place")
        ends, last = Signal(name="ends"), Signal(name="last")
        pieces = Signal(self._pieces * self._narrow, name="pieces")
        absent = beat.absent if "absent" in self.i.p.shape().members else Const(0)
        ends_here, lacks = self._ends(m, place, absent)
        m.d.comb += [
            ends.eq((place == self._pieces - 1) | (beat.last & ends_here)),
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready & ends),
            last.eq(beat.last & ends),
            narrow.last.eq(last),
            pieces.eq(beat.data),
            narrow.data.eq(pieces.word_select(place, self._narrow)),
        ]
        m.d.comb += [narrow[name].eq(beat[name]) for name in self._header]
        if "absent" in self.o.p.shape().members:
            with m.If(last):
                m.d.comb += narrow.absent.eq(lacks)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(ends):
                m.d.sync += place.eq(0)
        m.d.sync += Assert(
            ~self.i.valid | beat.last | (absent == 0), "splitter: only a last beat lacks units"
        )
        return m

    def _ends(self, m: Module, place: Signal, absent: Value) -> tuple[Signal, Signal]:
        """Whether no unit is behind this piece of a last beat; if so, how many it lacks itself."""
        behind = Signal(range((self._pieces - 1) * self._units + 1))
        ends_here, lacks = Signal(name="ends_here"), Signal(len(absent), name="lacks")
        m.d.comb += [
            behind.eq((self._pieces - 1 - place) * self._units),
            ends_here.eq(absent >= behind),
            lacks.eq(absent - behind),
        ]
        return ends_here, lacks


class Injection(Component):
    """Turns a node's beats into those of its plane: other width, `keep` as a count, `user`.

    The first beat of a packet gives its header and its `user`; later ones are not read. In `keep`,
    all bytes of a beat must be 1, but the highest of a last beat, which may be 0, also all of them.
    A packet that breaks this is reported by `sparse` and sent nevertheless: a beat that is not its
    last goes whole, and the last one up to its highest byte with 1.

    Latency
    -------
    0 cycles, of a narrow node from the beat that ends a flit. A node whose width is a ``k``-th of
    the plane's gives a flit every ``k`` cycles; one that is ``k`` times as wide gives a beat every
    ``k`` cycles. `sparse` comes in the cycle after the packet's last beat.

    Parameters
    ----------
    width : int
        Bits of a node's beat.
    payload : Payload
        What the plane's flits carry.
    header : mapping of str to shape
        Fields of the plane's beats beside data and `last`, as in `inject_layout`.

    Members
    -------
    i : In(stream of node_layout)
        Beats from the node.
    o : Out(stream of plane_layout)
        Beats to the plane.
    sparse : Out(1)
        High for one cycle for each packet with such a `keep`; only with `keep`.
    """

    i: stream.Interface
    o: stream.Interface
    sparse: Signal

    def __init__(self, *, width: int, payload: Payload, header: Header) -> None:
        self._width, self._payload = width, payload
        self._header: dict[str, ShapeLike] = dict(header)
        members = {
            "i": In(stream.Signature(node_layout(width, payload, header))),
            "o": Out(stream.Signature(plane_layout(payload, header))),
        }
        super().__init__(members | ({"sparse": Out(1)} if payload.keep else {}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit_width = self._payload.data_width
        side = with_user(self._header, self._payload)
        units, widths = self._units(m, side), (self._width, flit_width)
        beats, self.resizer = resized(m, units, widths, self._payload, side)
        out: View = self.o.p
        packed: View = data.View(data.StructLayout(self._payload.fields), out.data)
        beat: View = beats.p
        m.d.comb += [
            self.o.valid.eq(beats.valid),
            beats.ready.eq(self.o.ready),
            out.last.eq(beat.last),
        ]
        m.d.comb += [packed[name].eq(beat[name]) for name in self._payload.fields]
        m.d.comb += [out[name].eq(beat[name]) for name in self._header]
        return m

    def _units(self, m: Module, side: dict[str, ShapeLike]) -> stream.Interface:
        """The node's beats as units, with the fields that the packet's first beat gave."""
        beat: View = self.i.p
        units = stream.Signature(units_layout(self._width, self._payload, side)).create(
            path=("units",)
        )
        moves, in_packet = Signal(name="moves"), Signal(name="in_packet")
        self.in_packet = in_packet
        self.kept: dict[str, Signal] = {}
        m.d.comb += [
            units.valid.eq(self.i.valid),
            self.i.ready.eq(units.ready),
            units.p.data.eq(beat.data),
            units.p.last.eq(beat.last),
            moves.eq(self.i.valid & self.i.ready),
        ]
        with m.If(moves):
            m.d.sync += in_packet.eq(~beat.last)
        for name in side:
            # The network reads a packet's header with its first flit: a wide beat always has it.
            if name in self._header and self._width >= self._payload.data_width:
                m.d.comb += units.p[name].eq(beat[name])
                continue
            kept = Signal.like(Value.cast(beat[name]), name=f"kept_{name}", reset_less=True)
            self.kept[name] = kept
            m.d.comb += units.p[name].eq(Mux(in_packet, kept, beat[name]))
            with m.If(moves & ~in_packet):
                m.d.sync += kept.eq(beat[name])
        if self._payload.keep:
            self._keep(m, units, moves)
        return units

    def _keep(self, m: Module, units: stream.Interface, moves: Signal) -> None:
        """Count what a last beat lacks, and report what is no such beat."""
        beat: View = self.i.p
        count = len(beat.keep)
        lacks = Signal.like(units.p.absent, name="lacks")
        broken, seen = Signal(name="broken"), Signal(name="seen")
        m.d.comb += lacks.eq(count)
        for number in range(count):
            with m.If(beat.keep[number]):
                m.d.comb += lacks.eq(count - 1 - number)
        holes = (beat.keep[1:] & ~beat.keep[:-1]).any()
        m.d.comb += broken.eq(Mux(beat.last, holes, ~beat.keep.all()))
        with m.If(beat.last):
            m.d.comb += units.p.absent.eq(lacks)
        m.d.sync += self.sparse.eq(moves & beat.last & (seen | broken))
        with m.If(moves):
            m.d.sync += seen.eq(~beat.last & (seen | broken))


class Ejection(Component):
    """Turns a plane's beats into those of a node: other width, a count as `keep`, `user`.

    Without `keep`, the places of a last beat that its packet does not fill are 0. A node wider than
    the plane has a field `flags` set where one of the flits in its beat had it.

    Latency
    -------
    0 cycles, of a wide node from the flit that ends a beat. A node whose width is a ``k``-th of the
    plane's takes a flit every ``k`` cycles; one that is ``k`` times as wide gets a beat every ``k``
    cycles.

    Parameters
    ----------
    width : int
        Bits of a node's beat.
    payload : Payload
        What the plane's flits carry.
    header : mapping of str to shape
        Fields of the plane's beats beside data and `last`, as in `eject_layout`.

    Members
    -------
    i : In(stream of plane_layout)
        Beats from the plane.
    o : Out(stream of node_layout)
        Beats to the node.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, width: int, payload: Payload, header: Header) -> None:
        self._width, self._payload = width, payload
        self._header: dict[str, ShapeLike] = dict(header)
        super().__init__(
            {
                "i": In(stream.Signature(plane_layout(payload, header))),
                "o": Out(stream.Signature(node_layout(width, payload, header))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit_width = self._payload.data_width
        side = with_user(self._header, self._payload)
        units, widths = self._units(m, side), (flit_width, self._width)
        beats, self.resizer = resized(m, units, widths, self._payload, side)
        out: View = self.o.p
        beat: View = beats.p
        m.d.comb += [
            self.o.valid.eq(beats.valid),
            beats.ready.eq(self.o.ready),
            out.data.eq(beat.data),
            out.last.eq(beat.last),
        ]
        m.d.comb += [out[name].eq(beat[name]) for name in side]
        if self._payload.keep:
            count = len(out.keep)
            m.d.comb += [
                out.keep[number].eq(beat.absent < count - number) for number in range(count)
            ]
        return m

    def _units(self, m: Module, side: dict[str, ShapeLike]) -> stream.Interface:
        """The plane's beats as units."""
        beat: View = self.i.p
        packed: View = data.View(data.StructLayout(self._payload.fields), beat.data)
        units = stream.Signature(units_layout(self._payload.data_width, self._payload, side))
        flits = units.create(path=("units",))
        m.d.comb += [
            flits.valid.eq(self.i.valid),
            self.i.ready.eq(flits.ready),
            flits.p.last.eq(beat.last),
        ]
        m.d.comb += [flits.p[name].eq(packed[name]) for name in self._payload.fields]
        m.d.comb += [flits.p[name].eq(beat[name]) for name in self._header]
        if "flags" in side and self._width > self._payload.data_width:
            self._join_flags(m, flits)
        return flits

    def _join_flags(self, m: Module, flits: stream.Interface) -> None:
        """Show a wide beat's flags with those of the flits that it already holds."""
        pieces = self._width // self._payload.data_width
        place = Signal(range(pieces))
        seen = Signal.like(flits.p.flags, name="seen")
        m.d.comb += flits.p.flags.eq(self.i.p.flags | seen)
        with m.If(flits.valid & flits.ready):
            m.d.sync += [place.eq(place + 1), seen.eq(flits.p.flags)]
            with m.If(flits.p.last | (place == pieces - 1)):
                m.d.sync += [place.eq(0), seen.eq(0)]
