"""Permutations and jump tables of batch networks: the built-in ones, and those a host loads."""

from collections.abc import Sequence

import numpy as np
from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2
from knotwork.errors import ConfigurationError
from knotwork.gateware.batch.layouts import config_signature, entry_layout
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.scheduling.linear_complement import (
    JumpTable,
    LinearComplement,
    buddy_jump,
    random_matrix,
)

REPEATS_LOG2 = 1
"""Logarithm of the consecutive batches that send one permutation: a table must serve several."""

_COUNT = 16
_SEED = 1995


class Permutations:
    """Distinct linear-complement permutations: number 0 is the bit reversal, the others are random.

    There are 16, but only 2 in a network of two nodes.

    Parameters
    ----------
    n : int
        Width of an address.

    Members
    -------
    destinations : ndarray
        Destination of each node, one row per permutation.
    sources : ndarray
        Node whose packet each node receives, one row per permutation.
    tables : tuple of JumpTable
        Table that routes each permutation.
    """

    def __init__(self, n: int) -> None:
        dice = np.random.default_rng(_SEED)
        chosen = [LinearComplement(np.eye(n, dtype=bool)[::-1])]
        rows = [chosen[0].destinations]
        while len(chosen) < (_COUNT if n > 1 else 2):
            drawn = LinearComplement(random_matrix(n, dice), int(dice.integers(1 << n)))
            row = drawn.destinations
            if not any((row == other).all() for other in rows):
                chosen.append(drawn)
                rows.append(row)
        self.destinations = np.array(rows)
        self.sources = np.argsort(self.destinations, axis=1)
        self.tables: tuple[JumpTable, ...] = tuple(buddy_jump(lc.matrix)[0] for lc in chosen)

    @property
    def batches_log2(self) -> int:
        """Logarithm of the batches that send all permutations, repetitions included."""
        return exact_log2(len(self.tables)) + REPEATS_LOG2


def of_batch(batch: Value, values: Sequence[int], width: int) -> Value:
    """Entry of `values`, one per permutation, that belongs to the batch of this number."""
    number = batch[REPEATS_LOG2:][: exact_log2(len(values))]
    return Array(Const(int(value), width) for value in values)[number]


def word_count(n: int) -> int:
    """Words of a table for addresses of so many bits: see `table_words`."""
    return 3 * n + 2


def word_width(network: Network) -> int:
    """Bits of the widest word of a network's table."""
    return max(network.topology.address_width, entry_layout(network).size)


def permutation_words(network: Network, destinations: Sequence[int]) -> list[int]:
    """Words that load a linear-complement permutation, and the table that routes it.

    Raises
    ------
    ConfigurationError
        The network has no batches, or its table cannot carry out the permutation.
    """
    if not isinstance(network.routing, BatchRouting):
        raise ConfigurationError(
            f"{network.name}: a table needs routing=lc1 or lc2, not {network.routing.name}"
        )
    nodes = network.topology.nodes
    wanted = np.array(destinations, np.int64)
    if not np.array_equal(np.sort(wanted), np.arange(nodes)):
        raise ConfigurationError(
            f"{network.name}: permutation must name each of the nodes 0..{nodes - 1} once, not "
            f"{','.join(map(str, destinations))}"
        )
    linear = LinearComplement.of(wanted)
    if linear is None:
        raise ConfigurationError(
            f"{network.name}: permutation must be linear-complement to have a table, not "
            f"{','.join(map(str, destinations))}"
        )
    return table_words(network, linear, buddy_jump(linear.matrix)[0])


def table_words(network: Network, linear: LinearComplement, table: JumpTable) -> list[int]:
    """Words of a permutation and of the table that is to route it.

    The entries of the table come first, that of dimension n - 1 before all others. Then come the
    images of the source bits 0..n - 1 and the complement; at last the same of the inverse
    permutation, by which checkers know their source.
    """
    n = linear.n
    layout = entry_layout(network)
    entries = [
        layout.const({"jump": table.jump[dimension], "buddy": table.buddy[dimension]}).as_bits()
        for dimension in reversed(range(n))
    ]
    there = linear.destinations
    return [*entries, *_images(there, n), *_images(np.argsort(there), n)]


def _images(destinations: np.ndarray, n: int) -> list[int]:
    constant = int(destinations[0])
    return [*(int(destinations[1 << bit]) ^ constant for bit in range(n)), constant]


def table_commands(words: Sequence[int]) -> list[str]:
    """Commands of the UART that load a table; without words, those that end its use."""
    return [*(f"t{word:x}\n" for word in words), "t\n"]


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
    """Image of each of the 2^n addresses, from those of the single bits and of 0."""
    found = [Signal(n, name=f"{name}_0")]
    m.d.comb += found[0].eq(of_bits[n])
    for address in range(1, 1 << n):
        lowest = (address & -address).bit_length() - 1
        image = Signal(n, name=f"{name}_{address}")
        m.d.comb += image.eq(found[address & address - 1] ^ of_bits[lowest])
        found.append(image)
    return found


class BatchLoader(wiring.Component):
    """Loader that offers one table after the other, each for the batches that use it.

    It offers the next table in the cycle after a node has received its packet of the last of these
    batches. That node cannot have sent its next packet earlier, so no batch begins on an old
    table.

    Latency
    -------
    1 cycle from `ended` to the first entry of a table, 2 cycles from a reset to that of the first
    table; then one entry in two cycles.

    Parameters
    ----------
    network : Network
        Network of batches.
    tables : sequence of JumpTable
        Tables; after the last table comes the first.

    Members
    -------
    loaded : In(1)
        `entries` take the place of all tables.
    entries : In(ArrayLayout(entry_layout, n))
        Table loaded, the entry of dimension n - 1 first.
    anew : In(1)
        It begins again with the first table, once it has offered all of the present one: the
        network must not see a part of a table. No batch runs meanwhile.
    ended : In(1)
        A batch has ended: a node receives the last beat of its packet.
    o : Out(config_signature)
        To the network.
    """

    loaded: Value
    entries: data.View
    anew: Value
    ended: Value
    o: stream.Interface

    def __init__(self, *, network: Network, tables: Sequence[JumpTable]) -> None:
        self._network = network
        self._tables = tables
        entries = data.ArrayLayout(entry_layout(network), network.topology.address_width)
        super().__init__(
            {
                "loaded": In(1),
                "entries": In(entries),
                "anew": In(1),
                "ended": In(1),
                "o": Out(config_signature(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Walk through a memory that holds the entries of all tables in a row."""
        del platform
        m = Module()
        n = self._network.topology.address_width
        layout = entry_layout(self._network)
        entries = [
            layout.const({"jump": table.jump[dimension], "buddy": table.buddy[dimension]})
            for table in self._tables
            for dimension in reversed(range(n))
        ]
        m.submodules.entries = store = memory.Memory(shape=layout, depth=len(entries), init=entries)
        read = store.read_port()
        place, left = Signal(range(len(entries))), Signal(range(n), init=n - 1)
        batches, again = Signal(REPEATS_LOG2), Signal()
        last = left == 0
        loaded = Array(self.entries[entry].as_value() for entry in reversed(range(n)))[left]
        m.d.comb += [
            read.addr.eq(place),
            self.o.p.entry.eq(Mux(self.loaded, loaded, read.data.as_value())),
            self.o.p.last.eq(last),
        ]
        with m.FSM():
            with m.State("FETCH"):
                m.next = "OFFER"
            with m.State("OFFER"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.d.sync += [
                        place.eq(Mux(place == len(entries) - 1, 0, place + 1)),
                        left.eq(Mux(last, n - 1, left - 1)),
                    ]
                    m.next = "FETCH"
                    with m.If(last):
                        m.next = "WAIT"
            with m.State("WAIT"):
                with m.If(again):
                    m.d.sync += [again.eq(0), place.eq(0), batches.eq(0)]
                    m.next = "FETCH"
                with m.Elif(self.ended):
                    m.d.sync += batches.eq(batches + 1)
                    with m.If(batches.all()):
                        m.next = "OFFER"
        with m.If(self.anew):
            m.d.sync += again.eq(1)
        return m
