"""Proof of a crossing: its pointers, and the words between them, at any order of clock edges."""

from collections.abc import Iterator
from itertools import pairwise

from amaranth.hdl import Array, Cat, Signal, Value
from knotwork.formal.harness import Harness
from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove

from ...emit.stream_shell import stream_shell, stream_verilog
from ...gateware.adapters import Crossing
from .edges import EDGES, AnyEdges

MODULE = "crossing"
DEPTH, BITS = 4, 2
"""Words, and their bits, in a proof."""
_WIDTH = DEPTH.bit_length()


def _crossing() -> AnyEdges:
    return AnyEdges(
        lambda: Crossing(shape=BITS, depth=DEPTH, i_domain="left", o_domain="right"),
    )


class CrossingHarness(Harness):
    """Harness of a crossing and its clocks."""

    keeps_memories = False
    begins_anywhere = False  # `resets` proves that both sides are in reset for long enough

    def __init__(self) -> None:
        component = _crossing()
        component._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]
        super().__init__(MODULE, *stream_shell(component).widths)

    def fifo(self, path: str, bits: int = _WIDTH) -> Signal:
        """Wire of the FIFO."""
        return self.inside(f"timed.fifo.{path}", bits)

    def number(self, gray: Value) -> Value:
        """Number that a Gray code stands for."""
        return self.named(Cat(gray[place:].xor() for place in range(len(gray))), "number")

    def moves(self, side: str) -> Value:
        """Whether a word is handed over, at an edge of the side's clock."""
        valid, ready = self.port(f"{side}_tvalid"), self.port(f"{side}_tready")
        return valid & ready & self.port(EDGES[side])


def _pointers(harness: CrossingHarness) -> None:
    """Neither side passes the other, as far as either knows; Gray codes go step by step."""
    put, taken = (harness.register(_WIDTH, name) for name in ("put", "taken"))
    harness.m.d.sync += [put.eq(put + harness.moves("i")), taken.eq(taken + harness.moves("o"))]
    produced, consumed = harness.fifo("produce_w_bin"), harness.fifo("consume_r_bin")
    # The reading side leaves its reset a cycle or two after the other, having heard of nothing.
    heard = [harness.fifo(f"produce_cdc.stage{number}") for number in (0, 1)]
    harness.claim(~harness.fifo("rst_cdc.stage0", 1) | (put == 0))
    harness.claim(
        ~harness.fifo("rst_cdc.stage1", 1) | ((taken == 0) & (heard[0] == 0) & (heard[1] == 0))
    )
    harness.claim(produced == put)
    harness.claim(consumed == taken)
    codes = {"produce_cdc.produce_w_gry": produced, "consume_cdc.consume_r_gry": consumed}
    for path, pointer in codes.items():
        code, before = harness.fifo(path), harness.register(_WIDTH, path.partition(".")[0])
        harness.m.d.sync += before.eq(code)
        steps = code ^ before
        harness.claim((steps & (steps - 1)[:_WIDTH]) == 0)
        harness.claim(code == (pointer ^ pointer[1:]))
    # From the newest to the oldest: what each side has told, and the other has heard of it.
    row = [produced]
    row += [harness.number(harness.fifo(f"produce_cdc.stage{number}")) for number in (0, 1)]
    row += [consumed]
    row += [harness.number(harness.fifo(f"consume_cdc.stage{number}")) for number in (0, 1)]
    gaps = [(one - other)[:_WIDTH] for one, other in pairwise(row)]
    harness.claim(sum(gaps[1:], gaps[0]) <= DEPTH)
    harness.cover((produced - consumed)[:_WIDTH] == DEPTH)


def _words(harness: CrossingHarness) -> None:
    """What is read is what was written at its place; a place is written when it is free."""
    harness.environment(harness.running | ~harness.port("i_tvalid"))  # no words in a reset
    consumed = harness.fifo("consume_r_bin")
    words = [harness.register(BITS, f"word_{place}") for place in range(DEPTH)]
    produced = harness.fifo("produce_w_bin")
    for place, word in enumerate(words):
        with harness.m.If(harness.moves("i") & (produced[:-1] == place)):
            harness.m.d.sync += word.eq(harness.port("i_tdata"))
        harness.claim(harness.fifo(f"storage[{place}]", BITS) == word)
    heard = harness.number(harness.fifo("produce_cdc.stage1"))
    read = harness.named(Array(words)[consumed[:-1]], "read")
    harness.claim((heard == consumed) | (harness.port("o_tdata") == read))
    harness.claim(~harness.port("o_tvalid") | (heard != consumed))
    harness.cover(harness.moves("o") & (harness.port("o_tdata") == BITS))


def crossing_properties() -> list[Property]:
    """What is proven of a crossing."""
    pointers = Property(
        name="pointers",
        text="no word is lost or read twice; a Gray code changes by one bit at most",
        claim=_pointers,
        cover=20,
    )
    words = Property(
        name="words",
        text="the words that are read are those that were written, in order",
        claim=_words,
        lemmas=(pointers,),
    )
    return [pointers, words]


def crossing_verilog() -> str:
    """Verilog of a crossing, its module named `MODULE`."""
    return stream_verilog(_crossing(), MODULE)


def prove_crossing(verilog: str | None = None) -> Iterator[Result]:
    """Prove all, of this Verilog in place of the crossing's own if given."""
    text = crossing_verilog() if verilog is None else verilog
    return prove(MODULE, text, CrossingHarness, crossing_properties())
