"""Proofs of the converters of width: what they send is what a list of units says."""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data
from knotwork.formal.elaboration import Elaboration
from knotwork.formal.harness import Harness
from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove
from knotwork.untyped import View

from ...emit.shells import stream_shell, stream_verilog
from ...gateware.adapters import Ejection, Gatherer, Injection, Splitter
from ...payload import Payload

MODULE = "converter"
HEADER = 2
"""Bits of a node's address in a proof: nothing depends on them."""


Resizer = TypeVar("Resizer", Gatherer, Splitter)


class Beat(NamedTuple):
    """Side of a converter, in units.

    Members
    -------
    absent : Value
        Units that the beat lacks; in a last beat only.
    header, user : Value
        Its address, and its user's bits.
    """

    valid: Value
    ready: Value
    data: Value
    absent: Value
    last: Value
    header: Value
    user: Value

    @property
    def moves(self) -> Value:
        """Whether a beat is handed over."""
        return self.valid & self.ready


class ConverterHarness(Harness):
    """Harness of a converter, with both its sides in units.

    Parameters
    ----------
    proofs : ConverterProofs
        Which converter.
    """

    def __init__(self, proofs: "ConverterProofs") -> None:
        self.proofs = proofs
        component = proofs.make()
        super().__init__(MODULE, *stream_shell(component).widths, Elaboration(component))
        into = proofs.is_injection
        self.i = self._node("i", "tdest") if into else self._plane("i", "tid")
        self.o = self._plane("o", "tdest") if into else self._node("o", "tid")

    def _resizer(self, kind: type[Resizer]) -> Resizer:
        """Part that changes the width."""
        converter = self.component("", Injection if self.proofs.is_injection else Ejection)
        assert isinstance(converter.resizer, kind)
        return converter.resizer

    def _optional(self, name: str) -> Value:
        return self.port(name) if self.has_port(name) else Const(0)

    def _node(self, side: str, header: str) -> Beat:
        keep, last = self._optional(f"{side}_tkeep"), self.port(f"{side}_tlast")
        absent: Value = Const(0)
        if self.proofs.payload.keep:
            # As many as there are zeros above the highest one.
            absent = Const(len(keep))
            for number in range(len(keep)):
                absent = Mux(keep[number], len(keep) - 1 - number, absent)
            absent = Mux(last, absent, 0)
        return self._beat(
            side, self.port(f"{side}_tdata"), absent, self._optional(f"{side}_tuser"), header
        )

    def _plane(self, side: str, header: str) -> Beat:
        payload = self.proofs.payload
        fields: View = data.View(data.StructLayout(payload.fields), self.port(f"{side}_tdata"))
        absent = fields.absent if payload.absent_width else Const(0)
        return self._beat(
            side, fields.data, absent, fields.user if payload.user_width else Const(0), header
        )

    def _beat(self, side: str, bits: Value, absent: Value, user: Value, header: str) -> Beat:
        valid, ready = self.port(f"{side}_tvalid"), self.port(f"{side}_tready")
        last = self.port(f"{side}_tlast")
        return Beat(valid, ready, bits, absent, last, self.port(f"{side}_{header}"), user)

    def held(self, side: str, beat: Beat) -> None:
        """Claim that a side keeps what it offers."""
        bits = Cat(beat.data, beat.absent, beat.last, beat.user)
        self.claim_held(beat.valid, beat.ready, Cat(bits, beat.header), side)

    def surround(self) -> None:
        """Sender by the rules of streams; flits lack units only at an end, and never too many."""
        with self.assuming():
            self.held("i", self.i)
        if not self.proofs.is_injection:
            payload = self.proofs.payload
            most = payload.units - (not payload.keep)
            self.assume(Mux(self.i.last, self.i.absent <= most, self.i.absent == 0))

    def expected(self) -> None:
        """Beats of the other side by a list of pieces that this harness keeps itself."""
        begun = self.register(1, "begun")
        i = self.i
        with self.m.If(i.moves):
            self.m.d.sync += begun.eq(~i.last)
        if self.proofs.is_injection:  # the packet's first beat says it
            i = i._replace(header=self._first(begun, i.header, "destination"))
            if self.proofs.keeps("user"):
                i = i._replace(user=self._first(begun, i.user, "user"))
            if self.proofs.remembers:
                self.claim(self.probe(self.component("", Injection).in_packet) == begun)
        into, out = self.proofs.widths
        if into == out:
            self.claim(self.o.valid == i.valid)
            self.claim(~i.valid | (i.ready == self.o.ready))
            self._shown(begun, i, i.data, i.absent, i.last)
        elif into < out:
            self._gathered(begun, i, out // into)
        else:
            self._split(begun, i, into // out)
        self.cover(self.o.moves & self.o.last & begun)

    def _first(self, begun: Value, value: Value, field: str) -> Value:
        first = self.register(len(value), f"first_{field}")
        with self.m.If(self.i.moves & ~begun):
            self.m.d.sync += first.eq(value)
        if self.proofs.keeps(field):
            kept = self.probe(self.component("", Injection).kept[field])
            self.claim(~begun | (kept == first))
        return Mux(begun, first, value)

    def _shown(self, begun: Value, i: Beat, bits: Value, absent: Value, last: Value) -> None:
        """Claim what the other side shows while it offers a beat."""
        o = self.o
        claims = [o.data == bits, o.last == last, o.user == i.user]
        if self.proofs.is_injection or self.proofs.payload.keep:
            claims.append(o.absent == absent)
        if self.has_port("o_tkeep"):  # no holes
            keep = self.port("o_tkeep")
            claims.append(Mux(o.last, (keep & (keep + 1)[: len(keep)]) == 0, keep.all()))
        for claim in claims:
            self.claim(~o.valid | claim)
        # A converter that does not keep the header has it right where the network reads it.
        read = ~begun if self.proofs.is_injection and not self.proofs.keeps("destination") else 1
        self.claim(~(o.valid & read) | (o.header == i.header))

    def _gathered(self, begun: Value, i: Beat, pieces: int) -> None:
        """Wide beats: the pieces that came, the one that comes, and zeros."""
        width, units = self.proofs.widths[0], self.proofs.widths[0] // self.proofs.payload.unit
        gatherer = self._resizer(Gatherer)
        count = self.register(range(pieces), "count")
        ends = self.named(i.last | (count == pieces - 1), "ends")
        kept = [self.register(width, f"piece_{number}") for number in range(pieces - 1)]
        with self.m.If(i.moves):
            self.m.d.sync += count.eq(Mux(ends, 0, count + 1))
        for number, (piece, inside) in enumerate(zip(kept, gatherer.kept, strict=True)):
            with self.m.If(i.moves & (count == number)):
                self.m.d.sync += piece.eq(i.data)
            self.claim((count <= number) | (self.probe(inside) == piece))
        self.claim(self.probe(gatherer.place) == count)
        self.claim(count < pieces)
        self.claim(self.o.valid == (i.valid & ends))
        self.claim(i.ready == (self.o.ready | ~ends))
        parts = [
            Mux(count > number, piece, Mux(count == number, i.data, 0))
            for number, piece in enumerate([*kept, Const(0, width)])
        ]
        absent = i.absent + (pieces - 1 - count) * units
        self._shown(begun, i, Cat(*(part[:width] for part in parts)), absent, i.last)

    def _split(self, begun: Value, i: Beat, pieces: int) -> None:
        """Narrow beats: piece after piece, up to that with the last unit."""
        (wide, width), unit = self.proofs.widths, self.proofs.payload.unit
        count = self.register(range(pieces), "count")
        left = self.named(wide // unit - i.absent, "left")
        here = self.named((count + 1) * (width // unit), "here")
        ends = self.named(Mux(i.last, here >= left, 0) | (count == pieces - 1), "ends")
        with self.m.If(self.o.moves):
            self.m.d.sync += count.eq(Mux(ends, 0, count + 1))
        self.claim(self.probe(self._resizer(Splitter).place) == count)
        # Within a wide beat there is a piece with units, which waits.
        more = ~i.last | (left > count * (width // unit))
        self.claim((count == 0) | ((count < pieces) & i.valid & more))
        self.claim(self.o.valid == i.valid)
        self.claim(i.ready == (self.o.ready & ends))
        last = self.named(i.last & ends, "last")
        absent = Mux(last, here - left, 0)
        self._shown(begun, i, i.data.word_select(count, width), absent[: len(here)], last)


class ConverterProofs(NamedTuple):
    """Converter of a node's width, and its proofs.

    Members
    -------
    is_injection : bool
        `Injection`, and `Ejection` otherwise.
    width : int
        Bits of a node's beat.
    payload : Payload
        What the plane's flits carry.
    """

    is_injection: bool
    width: int
    payload: Payload

    @property
    def widths(self) -> tuple[int, int]:
        """Bits of the beats that come, and of those that leave."""
        flit = self.payload.data_width
        return (self.width, flit) if self.is_injection else (flit, self.width)

    @property
    def remembers(self) -> bool:
        """Whether the converter has what a packet's first beat gave."""
        return self.keeps("destination") or self.keeps("user")

    def keeps(self, field: str) -> bool:
        """Whether the converter has a field of a packet's first beat."""
        if field == "user":
            return self.payload.user_width > 0
        return self.width < self.payload.data_width

    def make(self) -> Injection | Ejection:
        """The converter."""
        if self.is_injection:
            header = {"destination": HEADER}
            return Injection(width=self.width, payload=self.payload, header=header)
        return Ejection(width=self.width, payload=self.payload, header={"source": HEADER})

    def properties(self) -> list[Property]:
        """What is proven."""

        def expected(harness: ConverterHarness) -> None:
            harness.surround()
            harness.expected()

        def held(harness: ConverterHarness) -> None:
            harness.surround()
            harness.held("o", harness.o)
            harness.cover(harness.o.valid & ~harness.o.ready)

        units = Property(
            name="units",
            text="every beat has the units that came, in order, once; none waits without reason",
            claim=expected,
            cover=12,
        )
        rules = Property(
            name="rules",
            text="a beat that is offered stays until it is taken",
            claim=held,
            lemmas=(units,),
        )
        return [units, rules]

    def prove(self, verilog: str | None = None) -> Iterator[Result]:
        """Prove all, of this Verilog in place of the converter's own if given."""
        text = converter_verilog(self) if verilog is None else verilog
        return prove(MODULE, text, lambda: ConverterHarness(self), self.properties())


def converter_verilog(proofs: ConverterProofs) -> str:
    """Verilog of a converter, its module named `MODULE`."""
    return stream_verilog(proofs.make(), MODULE)
