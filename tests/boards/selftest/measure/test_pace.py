from knotwork_boards.measuring.settings import SETTINGS, Settings
from knotwork_boards.selftest.measure.pace import Pace


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
