"""Parity of flits: added where they enter, checked where they are read; the guard of a buffer."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...untyped import Statement, View
from ..component import Component
from ..layouts import eject_layout, flit_layout
from .buffer import SkidBuffer

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
    is_other: Value = flit.destination[: len(address)] != address
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


_COPIES = 3


class Guard:
    """Part of an input buffer that keeps packets whole, whatever bit of a flit is wrong.

    A whole packet takes the ways of its first flit; if the parity of that flit's header is wrong
    when it arrives, the packet is ejected. An entry beside a flit has three copies, and their
    majority counts. The flits are stored as they arrive, with all copies of their last bit.

    This guards every bit that the RAMs store. It does not guard the state of the channels:
    pointers, and the ways of the packet that is coming in.

    Parameters
    ----------
    ejects : dict of int to int
        By virtual channel, the ways of a broken packet, a bit each; 0 where the router has no node:
        there it takes the way that the gates find, which have one for every address.
    """

    def __init__(self, ejects: dict[int, int]) -> None:
        self._ejects = ejects
        self.in_packet: dict[int, Signal] = {}
        self.first_outputs: dict[int, Signal] = {}
        self._broken = Signal(name="broken")

    @property
    def parameters(self) -> tuple[tuple[int, int], ...]:
        """What it was made of."""
        return tuple(self._ejects.items())

    def watch(self, m: Module, flit: View) -> None:
        """Check the header of a flit that arrives."""
        m.d.comb += self._broken.eq(is_header_broken(flit))

    def taken(self, m: Module, vc: int, found: Value, *, arrives: Value, last: Value) -> Signal:
        """Ways of the flit that arrives by a virtual channel, of those that the gates found."""
        taken, first = (
            Signal(len(found), name=f"{name}_vc{vc}") for name in ("taken", "first_outputs")
        )
        self.in_packet[vc] = inside = Signal(name=f"in_packet_vc{vc}")
        self.first_outputs[vc] = first
        ejects = self._ejects[vc]
        of_head = Mux(self._broken, ejects, found) if ejects else found
        m.d.comb += taken.eq(Mux(inside, first, of_head))
        with m.If(arrives):
            m.d.sync += [inside.eq(~last), first.eq(taken)]
        return taken

    def drop(self, m: Module, vc: int, cancels: Value | None) -> None:
        """Expect a first flit behind a packet that is dropped, where packets can be."""
        if cancels is not None:
            with m.If(cancels):
                m.d.sync += self.in_packet[vc].eq(0)

    @staticmethod
    def stored(entry: Value) -> Value:
        """What a RAM stores of an entry."""
        return entry.replicate(_COPIES)

    @staticmethod
    def read(kept: Value) -> Value:
        """Entry that a RAM stores."""
        bits = len(kept) // _COPIES
        return majority(*(kept.word_select(copy, bits) for copy in range(_COPIES)))
