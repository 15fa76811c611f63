"""Guard of an input buffer with parity: a packet stays whole whatever bit of a flit is wrong."""

from amaranth.hdl import Module, Mux, Signal, Value

from ...untyped import View
from ..parts.parity import is_header_broken, majority

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
