from amaranth.hdl import Module
from knotwork import Hypercube, Network
from knotwork_boards.selftest.batch.loaded_table import LoadedTable, images
from knotwork_boards.selftest.batch.table_words import permutation_words

NETWORK = Network(Hypercube(n=2), routing="lc1")
SWAPPED, COMPLEMENT = [0, 2, 1, 3], [3, 2, 1, 0]


class Table:
    """A `LoadedTable` with the images, and what a test asks of it."""

    def __init__(self):
        self.table = LoadedTable(NETWORK)
        self.module = Module()
        self.module.submodules.table = self.table
        self.to = images(self.module, "to", self.table.forward, 2)
        self.of = images(self.module, "of", self.table.inverse, 2)

    async def pulse(self, ctx, name):
        ctx.set(getattr(self.table, name), 1)
        await ctx.tick()
        ctx.set(getattr(self.table, name), 0)

    async def load(self, ctx, words):
        """Whether the table was taken."""
        for word in words:
            ctx.set(self.table.word, word)
            await self.pulse(ctx, "word_valid")
        await self.pulse(ctx, "ends")
        return not ctx.get(self.table.refused)

    async def open(self, ctx):
        """Whether the window has another table."""
        await self.pulse(ctx, "opens")
        return bool(ctx.get(self.table.changed))

    def holds(self, ctx):
        """Number of the table, and by node where packets go and whence they come."""
        ways = [[ctx.get(image) for image in way] for way in (self.to, self.of)]
        return (ctx.get(self.table.number), *ways)


def test_a_table_holds_from_the_next_window_on(run):
    table = Table()

    async def testbench(ctx):
        assert not await table.open(ctx)
        assert table.holds(ctx)[0] == 0
        assert await table.load(ctx, permutation_words(NETWORK, SWAPPED))
        assert table.holds(ctx)[0] == 0  # not yet
        assert await table.open(ctx)
        assert table.holds(ctx) == (1, SWAPPED, SWAPPED)
        entries = [ctx.get(table.table.entries[place].as_value()) for place in range(2)]
        assert entries == permutation_words(NETWORK, SWAPPED)[:2]
        assert not await table.open(ctx)
        assert await table.load(ctx, permutation_words(NETWORK, COMPLEMENT))
        assert table.holds(ctx) == (1, SWAPPED, SWAPPED)
        assert await table.open(ctx)
        assert table.holds(ctx) == (2, COMPLEMENT, COMPLEMENT)

    run(table.module, testbench)


def test_a_table_without_words_brings_the_own_ones_back(run):
    table = Table()

    async def testbench(ctx):
        assert await table.load(ctx, permutation_words(NETWORK, SWAPPED))
        assert await table.open(ctx)
        assert await table.load(ctx, [])
        assert await table.open(ctx)
        assert table.holds(ctx)[0] == 0
        assert await table.load(ctx, permutation_words(NETWORK, SWAPPED))
        assert await table.open(ctx)
        assert table.holds(ctx)[0] == 2

    run(table.module, testbench)


def test_tables_of_another_length_or_width_are_refused_and_change_nothing(run):
    table = Table()
    words = permutation_words(NETWORK, SWAPPED)
    wrong = [words[:-1], [*words, 0], words * 3, [8, *words[1:]], [*words[:-1], 1 << 31]]

    async def testbench(ctx):
        assert await table.load(ctx, words)
        assert await table.open(ctx)
        for load in wrong:
            assert not await table.load(ctx, load)
            await ctx.tick()
            assert not ctx.get(table.table.refused)
            assert not await table.open(ctx)
            assert table.holds(ctx) == (1, SWAPPED, SWAPPED)
        assert await table.load(ctx, permutation_words(NETWORK, COMPLEMENT))
        assert await table.open(ctx)
        assert table.holds(ctx) == (2, COMPLEMENT, COMPLEMENT)

    run(table.module, testbench)


def test_the_number_never_returns_to_0(run):
    table = Table()

    async def testbench(ctx):
        for _ in range(256):
            await table.load(ctx, permutation_words(NETWORK, SWAPPED))
            await table.open(ctx)
        assert table.holds(ctx) == (1, SWAPPED, SWAPPED)

    run(table.module, testbench)
