"""A permutation and its table, loaded while the self-test of a batch network runs."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.batch.layouts import entry_layout
from knotwork.network import Network

from .table_words import word_count, word_width

NUMBER_WIDTH = 8
"""Bits of the number of tables taken."""


class LoadedTable(wiring.Component):
    """Memory for one permutation and its table: see `table_words` for the words and their order.

    Words are kept until the table ends. If it has as many as it must, it holds from the next
    window on, and until another one does. A table without any words brings the permutations that
    the self-test chooses itself back. All others are refused. A table that begins while another one
    waits for its window replaces that one.

    Parameters
    ----------
    network : Network
        Network of batches.

    Members
    -------
    word : In(32)
        Next word, if `word_valid`.
    word_valid, ends : In(1)
        A word comes; the table ends. Never in the same cycle.
    opens : In(1)
        Pulse before a window.
    refused : Out(1)
        High in the cycle after the end of a table that is refused.
    changed : Out(1)
        High in the cycle after `opens` if the window has another table than the one before.
    number : Out(NUMBER_WIDTH)
        Tables taken so far, that of this window included; 0 if the window has no loaded table.
    entries : Out(ArrayLayout(entry_layout, n))
        Table of this window, the entry of dimension n - 1 first.
    forward, inverse : Out(ArrayLayout(n, n + 1))
        Images of the source bits, and complement, of this window's permutation and its inverse.
    """

    word: Value
    word_valid: Value
    ends: Value
    opens: Value
    refused: Value
    changed: Value
    number: Value
    entries: data.View
    forward: data.View
    inverse: data.View

    def __init__(self, network: Network) -> None:
        self._network = network
        n = network.topology.address_width
        images = data.ArrayLayout(n, n + 1)
        super().__init__(
            {
                "word": In(32),
                "word_valid": In(1),
                "ends": In(1),
                "opens": In(1),
                "refused": Out(1),
                "changed": Out(1),
                "number": Out(NUMBER_WIDTH),
                "entries": Out(data.ArrayLayout(entry_layout(network), n)),
                "forward": Out(images),
                "inverse": Out(images),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Shift words in; copy them where a window begins."""
        del platform
        m = Module()
        n = self._network.topology.address_width
        count, width = word_count(n), word_width(self._network)
        layout = data.ArrayLayout(width, count)
        came, held = (Signal(layout, name=name) for name in ("came", "held"))
        words, sound = Signal(range(count + 2)), Signal(init=1)
        waits, back_to_own = Signal(), Signal()
        taken = Signal(NUMBER_WIDTH)
        m.d.sync += [self.refused.eq(0), self.changed.eq(0)]
        with m.If(self.opens & waits):
            following = Mux(taken.all(), 1, taken + 1)
            m.d.sync += [waits.eq(0), self.changed.eq(1), held.eq(came)]
            m.d.sync += [
                self.number.eq(Mux(back_to_own, 0, following)),
                taken.eq(Mux(back_to_own, taken, following)),
            ]
        with m.If(self.word_valid):
            m.d.sync += [
                came.eq(Cat(came.as_value()[width:], self.word[:width])),
                words.eq(Mux(words > count, words, words + 1)),
                sound.eq(sound & ~self.word[width:].any()),
                waits.eq(0),
            ]
        with m.If(self.ends):
            fits = sound & ((words == count) | (words == 0))
            m.d.sync += [
                self.refused.eq(~fits),
                waits.eq(fits),
                back_to_own.eq(words == 0),
                words.eq(0),
                sound.eq(1),
            ]
        m.d.comb += [self.entries[place].eq(held[place]) for place in range(n)]
        for place in range(n + 1):
            m.d.comb += [
                self.forward[place].eq(held[n + place]),
                self.inverse[place].eq(held[2 * n + 1 + place]),
            ]
        return m


def images(m: Module, name: str, of_bits: data.View, n: int) -> list[Signal]:
    """Image of each of the 2^n addresses, of which those of the bits and of 0 are given."""
    found = [Signal(n, name=f"{name}_0")]
    m.d.comb += found[0].eq(of_bits[n])
    for address in range(1, 1 << n):
        lowest = (address & -address).bit_length() - 1
        image = Signal(n, name=f"{name}_{address}")
        m.d.comb += image.eq(found[address & address - 1] ^ of_bits[lowest])
        found.append(image)
    return found
