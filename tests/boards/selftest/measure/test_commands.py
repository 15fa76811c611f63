import pytest
from helpers.self_tests import pulse
from knotwork import Hypercube, Network
from knotwork_boards.measuring import SETTINGS, Settings
from knotwork_boards.selftest.measure.commands import CommandDecoder, TableHost
from knotwork_boards.selftest.measure.measurement import Pace
from knotwork_boards.selftest.uart import UartReceiver


@pytest.fixture
def decoder(run):
    """Runs a script: texts that come, and functions of the decoder in between."""

    def play(*steps, word="mesh:x=3,y=3", longest=4, tables=False):
        dut = CommandDecoder(Network.from_word(word).topology, longest=longest, tables=tables)
        found, words = [], []

        async def script(ctx):
            for step in steps:
                if not isinstance(step, str):
                    await pulse(ctx, dut.take)
                    await pulse(ctx, dut.line_begins)
                    found.append(step(ctx, dut))
                    continue
                for byte in step.encode():
                    ctx.set(dut.byte, byte)
                    await pulse(ctx, dut.received)
                    await ctx.tick().repeat(2)

        async def watch(ctx):
            signals = (dut.table_word_valid, dut.table_ended, dut.table_word)
            async for *_, valid, ended, table_word in ctx.tick().sample(*signals):
                if valid or ended:
                    words.append(table_word if valid else None)

        run(dut, script, watch)
        return found, words

    return play


def settings_of(ctx, dut):
    return {name: ctx.get(dut.settings[name]) for name in SETTINGS}


def dropped_of(ctx, dut):
    return ctx.get(dut.dropped)


def test_settings_come_with_commands_and_hold_from_the_next_window_on(decoder):
    chosen = Settings(mode=1, rate=0x10000, pattern=2, length=4, cycles=255, warmup=0, seed=0xABC)
    found, _ = decoder(settings_of, chosen.commands.decode(), "s1F\r\n\n", settings_of, dropped_of)
    expected = {name: getattr(chosen, name) for name in SETTINGS} | {"seed": 0x1F}
    assert found == [{name: field.default for name, field in SETTINGS.items()}, expected, 0]


@pytest.mark.parametrize(
    "text",
    [
        *("x\n", "r\n", "rg\n", "r 1\n", "r000000001\n", "r10001\n", "l0\n", "l5\n", "w0\n"),
        *("w100000\n", "p3\n", "m2\n", "g1\n", "t1\n", "s80000000\n", "hello\n", "\x00\n"),
    ],
)
def test_what_is_no_command_is_dropped_and_counted(decoder, text):
    found, words = decoder(text, settings_of, text, text, dropped_of, dropped_of)
    assert found == [{name: field.default for name, field in SETTINGS.items()}, 2, 0]
    assert words == []


def test_windows_halt_and_go_and_begin_anew(decoder):
    def state(ctx, dut):
        return ctx.get(dut.going)

    assert decoder(state, "h\n", state, "g\n", state) == ([1, 0, 1], [])


def test_a_table_comes_word_by_word(decoder):
    assert decoder("t12\ntffffffff\nt\n", dropped_of, tables=True) == (
        [0],
        [0x12, 0xFFFFFFFF, None],
    )


def test_threshold_and_parts_of_a_window(run):
    dut = Pace()

    async def script(ctx):
        for chosen in (
            Settings(mode=1, rate=65536, length=3, warmup=5, cycles=7),
            Settings(mode=1, rate=0, length=16, warmup=0, cycles=1),
            Settings(mode=1, rate=65536, length=1, warmup=1, cycles=2),
            Settings(mode=0, rate=6553, length=7, warmup=1, cycles=2),
        ):
            ctx.set(dut.settings, {name: getattr(chosen, name) for name in SETTINGS})
            ctx.set(dut.prepare, 1)
            await ctx.tick()
            ctx.set(dut.prepare, 0)
            await ctx.tick().repeat(30)
            assert ctx.get(dut.threshold) == chosen.threshold
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            seen = []
            for _ in range(20):
                seen.append((ctx.get(dut.creating), ctx.get(dut.measured)))
                await ctx.tick()
            parts = [(1, 0)] * chosen.warmup + [(1, 1)] * chosen.cycles if chosen.mode else []
            assert seen == parts + [(0, 0)] * (20 - len(parts))

    run(dut, script)


@pytest.mark.parametrize("divisor", [4, 9])
def test_bytes_come_and_what_is_none_comes_as_zero(run, divisor):
    dut = UartReceiver(clock_hz=divisor * 9600, baud=9600)
    got = []

    async def line(ctx):
        async def bits(*values, of=divisor):
            for value in values:
                ctx.set(dut.rx, value)
                await ctx.tick().repeat(of)

        async def byte(number, stop=1):
            await bits(0, *(number >> place & 1 for place in range(8)), stop)

        await bits(0, 1, of=30 * divisor)  # low from the start: not connected yet
        for number in (0x55, 0xFF, 0x00, 0xA3):
            await byte(number)
        await bits(1, 1)
        await byte(0x31, stop=0)
        await bits(0, of=30 * divisor)  # a break says nothing more
        await bits(1)
        await byte(0x32)
        await bits(1, 1)

    async def watch(ctx):
        async for *_, received, byte in ctx.tick().sample(dut.received, dut.byte):
            if received:
                got.append(byte)

    run(dut, line, watch)
    assert got == [0x55, 0xFF, 0x00, 0xA3, 0x00, 0x32]


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
