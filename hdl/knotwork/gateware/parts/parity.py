"""Parity of flits: added where they enter, checked where they are read."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...untyped import Statement, View
from ..component import Component
from ..layouts import eject_layout, flit_layout
from .skid import SkidBuffer

_HEADER = ("destination", "source", "broadcast")
_DATA = ("data", "chain", "lost")


def _fields(flit: View, names: tuple[str, ...]) -> Value:
    """Fields of a flit, of those that it has."""
    return Cat(flit[name] for name in names if name in flit.shape().members)


def seal(flit: View) -> list[Statement]:
    """Assignments of a flit's check bits from its other fields.

    `header_parity` is even over all that says where a flit goes and where it is from, the mark of
    a broadcast too; `data_parity` over the data, and over the marks that say what they are. `last`
    separates packets, so detecting a wrong `last` would not be enough: it has two copies, to
    correct it. `wrong` is for the router that ejects the flit.
    """
    return [
        flit.header_parity.eq(_fields(flit, _HEADER).xor()),
        flit.data_parity.eq(_fields(flit, _DATA).xor()),
        flit.last_copies.eq(flit.last.replicate(2)),
        flit.wrong.eq(0),
    ]


def is_guarded(flit: View) -> bool:
    """Whether flits have the fields that `seal` fills."""
    return "wrong" in flit.shape().members


def is_header_broken(flit: View) -> Value:
    """Whether a bit of the header or of its parity is wrong."""
    return Cat(_fields(flit, _HEADER), flit.header_parity).xor()


def is_data_broken(flit: View) -> Value:
    """Whether a bit of the data or of its parity is wrong."""
    return Cat(_fields(flit, _DATA), flit.data_parity).xor()


def is_wrong(flit: View, address: Value) -> Value:
    """Whether a flit that is ejected is broken, or another node's; a broadcast is every node's."""
    is_other: Value = flit.destination != address
    if "broadcast" in flit.shape().members:
        is_other = is_other & ~flit.broadcast
    return is_data_broken(flit) | is_header_broken(flit) | is_other


def majority(one: Value, two: Value, three: Value) -> Value:
    """Majority of three values, bit by bit."""
    return (one & two) | (one & three) | (two & three)


def voted_last(flit: View) -> Value:
    """Whether a flit is its packet's last, by two of three."""
    return majority(flit.last, *flit.last_copies)


def is_last(flit: View) -> Value:
    """Whether a flit is its packet's last, by two of three where flits have parity."""
    return voted_last(flit) if is_guarded(flit) else flit.last


def received(flit: View, sent: View) -> list[Statement]:
    """Assignments of a flit that comes from a link; with parity its `last` is right."""
    whole = Value.cast(flit).eq(Value.cast(sent))
    if not is_guarded(flit):
        return [whole]
    return [whole, flit.last.eq(voted_last(sent)), flit.wrong.eq(0)]


class Marker(Component):
    """Converter of flits to a node's beats, which marks the beats of a broken packet.

    From the first wrong beat to its packet's last, bit 0 of `flags` is 1, so the last beat gives
    the verdict on the whole packet. The router says whether a flit is wrong, because it knows
    earlier; a flit that waits here for a slow node is checked again. Where links may be declared
    dead, bit 1 is the flit's `lost`.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        With parity.

    Members
    -------
    i : In(stream.Signature(flit_layout))
        Flits.
    o : Out(stream.Signature(eject_layout))
        Beats.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, network: Network) -> None:
        self._layout = flit_layout(network)
        super().__init__(
            {
                "i": In(stream.Signature(self._layout)),
                "o": Out(stream.Signature(eject_layout(network))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.skid = skid = SkidBuffer(self._layout)
        wiring.connect(m, wiring.flipped(self.i), skid.i)
        shown, kept = skid.o, skid.kept
        broken = kept.wrong | is_data_broken(kept) | is_header_broken(kept)
        wrong = Mux(skid.full, broken, self.i.p.wrong)
        flit, beat, marked = shown.p, self.o.p, Signal(name="marked")
        self.marked = marked
        lost = [flit.lost] if "lost" in self._layout.members else []
        m.d.comb += [
            self.o.valid.eq(shown.valid),
            shown.ready.eq(self.o.ready),
            beat.data.eq(flit.data),
            beat.source.eq(flit.source),
            beat.last.eq(voted_last(flit)),
            beat.flags.eq(Cat(marked | wrong, *lost)),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += marked.eq(beat.flags[0] & ~beat.last)
        return m
