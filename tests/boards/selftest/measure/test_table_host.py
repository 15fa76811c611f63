import pytest
from knotwork import Hypercube
from knotwork_boards.selftest.measure.table_host import TableHost

DIVISOR = 4


async def send(ctx, rx, text):
    for byte in text.encode():
        for bit in (0, *(byte >> place & 1 for place in range(8)), 1):
            ctx.set(rx, bit)
            await ctx.tick().repeat(DIVISOR)
    await ctx.tick().repeat(2 * DIVISOR)


@pytest.fixture
def host():
    return TableHost(Hypercube(n=2), clock_hz=DIVISOR * 115200, baud=115200)


def hear(run, host, text, *, refuses=False):
    """Words and ends of tables that a text brings, in their order, and lines dropped."""
    heard, dropped = [], []

    async def listen(ctx):
        async for *_, given, ended, word in ctx.tick().sample(host.given, host.ended, host.word):
            if given or ended:
                heard.append(word if given else None)

    async def testbench(ctx):
        await ctx.tick().repeat(4)
        await send(ctx, host.rx, text)
        if refuses:
            ctx.set(host.refused, 1)
            await ctx.tick()
            ctx.set(host.refused, 0)
        ctx.set(host.told, 1)
        await ctx.tick()
        ctx.set(host.told, 0)
        await ctx.tick()
        dropped.append(ctx.get(host.values.dropped))

    run(host, testbench, listen)
    return heard, *dropped


def test_words_of_a_table_and_its_end_are_told(run, host):
    assert hear(run, host, "t0\ntA5\nt\n") == ([0, 0xA5, None], 0)


def test_a_table_that_the_node_test_refuses_counts_as_a_dropped_line(run, host):
    assert hear(run, host, "t1\nt\n", refuses=True) == ([1, None], 1)


def test_what_sets_a_measurement_is_dropped(run, host):
    assert hear(run, host, "m1\nr10\nt7\nl1\n") == ([7], 3)


def test_it_goes_and_halts_and_begins_anew(run, host):
    async def testbench(ctx):
        await ctx.tick().repeat(4)
        assert (ctx.get(host.going), ctx.get(host.anew)) == (1, 0)
        await send(ctx, host.rx, "h\nc\n")
        assert (ctx.get(host.going), ctx.get(host.anew)) == (0, 1)
        ctx.set(host.take, 1)
        await ctx.tick()
        ctx.set(host.take, 0)
        assert ctx.get(host.anew) == 0
        await send(ctx, host.rx, "g\n")
        assert ctx.get(host.going) == 1

    run(host, testbench)


def test_the_line_tells_the_number_of_the_table(run, host):
    async def testbench(ctx):
        ctx.set(host.number, 9)
        await ctx.delay(0)
        assert ctx.get(host.values.table) == 9

    run(host, testbench)
