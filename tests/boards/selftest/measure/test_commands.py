import pytest
from knotwork import Network
from knotwork_boards.measuring.settings import SETTINGS, Settings
from knotwork_boards.selftest.measure.commands import CommandDecoder


@pytest.fixture
def decoder(run):
    """Runs a script: texts that come, and functions of the decoder in between."""

    def play(*steps, word="mesh:x=3,y=3", longest=4, tables=False):
        dut = CommandDecoder(Network.from_word(word).topology, longest=longest, tables=tables)
        found, words = [], []

        async def pulse(ctx, signal):
            ctx.set(signal, 1)
            await ctx.tick()
            ctx.set(signal, 0)

        async def script(ctx):
            for step in steps:
                if not isinstance(step, str):
                    await pulse(ctx, dut.take)
                    await pulse(ctx, dut.told)
                    found.append(step(ctx, dut))
                    continue
                for byte in step.encode():
                    ctx.set(dut.byte, byte)
                    await pulse(ctx, dut.received)
                    await ctx.tick().repeat(2)

        async def watch(ctx):
            signals = (dut.table_given, dut.table_ended, dut.table_word)
            async for *_, given, ended, told in ctx.tick().sample(*signals):
                if given or ended:
                    words.append(told if given else None)

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
