from knotwork_boards.measuring.random_words import DESTINATION, random_words
from knotwork_boards.selftest.measure.random_register import RandomRegister


def test_words_are_those_of_the_twin(run):
    dut = RandomRegister(node=2, stream=DESTINATION)

    async def script(ctx):
        for seed in (0, 0x7FFFFFFF):
            ctx.set(dut.seed, seed)
            ctx.set(dut.load, 1)
            await ctx.tick()
            ctx.set(dut.load, 0)
            words = random_words(seed, 3, DESTINATION, 20)[2]
            for number, word in enumerate(words.tolist()):
                assert ctx.get(dut.o) == word
                if number % 2:  # it stays while it does not step
                    await ctx.tick()
                ctx.set(dut.step, 1)
                await ctx.tick()
                ctx.set(dut.step, 0)

    run(dut, script)
