"""The generator's gates against that of the models."""

import pytest
from amaranth.hdl import Fragment, Module, Signal
from helpers.streams import run
from knotwork import Network
from knotwork.gateware.parts.draws import draw
from knotwork.routing.draws import drawn, first_state, next_state

WORDS = ("mesh:x=3,y=3,routing=valiant", "ccc:n=3,routing=valiant", "mesh:x=4,y=4,routing=o1turn",
         "torus:x=16,y=16,routing=valiant", "wk:w=5,levels=2,routing=valiant")  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_node_draws_as_its_model_does(word):
    network = Network.from_word(word)
    routing, width = network.routing, network.topology.address_width
    m, address, steps = Module(), Signal(width), Signal()
    generator, code = draw(m, routing, address, steps)
    shown = Signal.like(code)
    m.d.comb += shown.eq(code)

    async def testbench(ctx):
        assert ctx.get(generator) == 0
        number = network.topology.address(network.topology.nodes - 1)
        ctx.set(address, number)
        state = first_state(number, width)
        for turn in range(200):
            assert ctx.get(shown) == routing.draw_codes[drawn(state, routing.draws)]
            ctx.set(steps, turn % 3 != 0)
            await ctx.tick()
            if turn % 3 != 0:
                state = next_state(state)

    run(m, testbench)


def test_where_nothing_is_drawn_nothing_is_added():
    m = Module()
    generator, code = draw(m, Network.from_word("mesh:x=2,y=2").routing, Signal(2), Signal())
    assert (len(generator), len(code)) == (0, 0)
    assert not Fragment.get(m, None).statements
