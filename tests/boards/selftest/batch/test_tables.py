import json
from random import Random

import numpy as np
import pytest
from amaranth.hdl import Module
from helpers.refusals import refuses
from helpers.self_tests import pulse
from helpers.streams import watch
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.cli import main
from knotwork.routing.scheduling.linear_complement import JumpTable
from knotwork_boards.selftest.batch.tables import (
    BatchLoader,
    LoadedTable,
    images,
    permutation_words,
    table_commands,
    word_count,
    word_width,
)

CUBE_CYCLES = Network(CubeConnectedCycles(n=3), routing="lc2")


def test_words_hold_the_table_and_both_permutations():
    # d0 = s0 + s1 + 1, d1 = s0, d2 = s2: the images of the source bits are 3, 1 and 4.
    destinations = [1, 2, 0, 3, 5, 6, 4, 7]
    words = permutation_words(CUBE_CYCLES, destinations)
    assert len(words) == word_count(3) == 11
    assert words[3:7] == [3, 1, 4, 1]
    # s0 = d1, s1 = d0 + d1 + 1, s2 = d2.
    assert words[7:] == [2, 3, 4, 2]


@pytest.mark.parametrize("name", ["reversal", "shuffle", "complement", "identity"])
def test_entries_are_those_that_schedule_prints(name, capsys):
    net = "ccc:n=4,routing=lc2"
    assert main.run(["schedule", net, "--permutation", name, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    destinations = [
        way["destination"] for way in sorted(said["rounds"][0], key=lambda way: way["source"])
    ]
    words = permutation_words(Network.from_word(net), destinations)
    jump, buddy = said["jump"][::-1], said["buddy"][::-1]
    assert words[:4] == [b | j << 3 for j, b in zip(jump, buddy, strict=True)]


def test_the_width_is_that_of_an_address_or_an_entry():
    assert [word_width(Network(Hypercube(n=n), routing="lc1")) for n in (1, 2, 3, 4, 7)] == [
        *(2, 3, 3, 4, 7)
    ]


def test_commands_are_a_letter_and_hexadecimal_digits():
    assert table_commands([0, 10, 255]) == ["t0\n", "ta\n", "tff\n", "t\n"]
    assert table_commands([]) == ["t\n"]


@pytest.mark.parametrize(
    ("network", "destinations", "text"),
    [
        (Network(Hypercube(n=2)), [0, 1, 2, 3], "{}: a table needs routing=lc1 or lc2, not ecube"),
        (CUBE_CYCLES, [0] * 8, "{}: permutation must name each of the nodes 0..7 once, not {}"),
        (CUBE_CYCLES, [0, 1], "{}: permutation must name each of the nodes 0..7 once, not {}"),
        (
            CUBE_CYCLES,
            [0, 1, 2, 4, 3, 5, 6, 7],
            "{}: permutation must be linear-complement to have a table, not {}",
        ),
    ],
)
def test_what_no_table_can_route_is_refused(network, destinations, text):
    with refuses(text.format(network.name, ",".join(map(str, destinations)))):
        permutation_words(network, destinations)


def test_words_of_the_inverse_lead_back():
    rng = np.random.default_rng(5)
    for _ in range(5):
        destinations = CUBE_CYCLES.routing.random_permutation(rng)
        words = permutation_words(CUBE_CYCLES, destinations.tolist())
        there, back = words[3:7], words[7:]
        for node in range(8):
            to = image(node, there)
            assert to == destinations[node]
            assert image(to, back) == node


def image(node, words):
    result = words[-1]
    for bit, word in enumerate(words[:-1]):
        result ^= word if node >> bit & 1 else 0
    return result


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


N = 3
TABLES = [
    JumpTable((1, 0, 1), (3, 0, 3)),
    JumpTable((1, 1, 1), (3, 3, 3)),
    JumpTable((1, 0, 0), (3, 3, 1)),
]


@pytest.fixture
def loader():
    return BatchLoader(network=Network(Hypercube(n=N), routing="lc1"), tables=TABLES)


async def take_table(ctx, dut, dice):
    """Entries (jump, buddy) of a table, up to the one marked last."""
    entries = []
    while True:
        ctx.set(dut.o.ready, dice.randrange(2))
        valid, ready, beat = ctx.get(dut.o.valid), ctx.get(dut.o.ready), ctx.get(dut.o.payload)
        await ctx.tick()
        if valid and ready:
            entries.append((beat.entry.jump, beat.entry.buddy))
            if beat.last:
                ctx.set(dut.o.ready, 0)
                return entries


async def end_batch(ctx, dut):
    await pulse(ctx, dut.ended)


def test_a_table_comes_after_every_second_batch_highest_dimension_first(run, loader):
    dice = Random(1)

    async def testbench(ctx):
        for number in range(7):
            table = TABLES[number % len(TABLES)]
            expected = list(zip(table.jump, table.buddy, strict=True))[::-1]
            assert await take_table(ctx, loader, dice) == expected
            for batch in range(2):
                for _ in range(dice.randrange(4)):
                    assert not ctx.get(loader.o.valid)
                    await ctx.tick()
                await end_batch(ctx, loader)
                assert ctx.get(loader.o.valid) == (batch == 1)  # at once

    run(loader, testbench, watch(loader.o))


def test_the_first_entry_comes_when_a_reset_is_over(run, loader):
    async def testbench(ctx):
        assert not ctx.get(loader.o.valid)
        await ctx.tick()
        assert ctx.get(loader.o.valid)
        assert ctx.get(loader.o.payload).entry.jump == 1

    run(loader, testbench)


@pytest.mark.parametrize("entries", [0, 1, N])
def test_anew_it_ends_the_present_table_and_begins_with_the_first(run, loader, entries):
    expected = [list(zip(table.jump, table.buddy, strict=True))[::-1] for table in TABLES]

    async def testbench(ctx):
        dice = Random(2)
        assert await take_table(ctx, loader, dice) == expected[0]
        for _ in range(2):
            await end_batch(ctx, loader)
        begun = []
        while len(begun) < entries:
            ctx.set(loader.o.ready, 1)
            valid, beat = ctx.get(loader.o.valid), ctx.get(loader.o.payload)
            await ctx.tick()
            begun += [(beat.entry.jump, beat.entry.buddy)] if valid else []
        ctx.set(loader.o.ready, 0)
        await pulse(ctx, loader.anew)
        rest = await take_table(ctx, loader, dice) if entries < N else []
        assert begun + rest == expected[1]
        assert await take_table(ctx, loader, dice) == expected[0]
        for _ in range(2):
            assert not ctx.get(loader.o.valid)
            await end_batch(ctx, loader)
        assert await take_table(ctx, loader, dice) == expected[1]

    run(loader, testbench, watch(loader.o))
