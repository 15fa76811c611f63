from amaranth.hdl import Module, Signal
from amaranth.lib import data
from helpers.streams import run
from knotwork.gateware.parts.crossbar import one_hot_mux


def test_gives_the_selected_input_and_0_where_none_is():
    inputs = [Signal(8, init=0x81 + place) for place in range(3)]
    select = Signal(3)
    result = one_hot_mux(list(select), inputs)

    async def testbench(ctx):
        for chosen, expected in ((0, 0), (1, 0x81), (2, 0x82), (4, 0x83)):
            ctx.set(select, chosen)
            assert ctx.get(result) == expected

    run(Module(), testbench)


def test_takes_payloads_with_fields():
    layout = data.StructLayout({"a": 3, "b": 5})
    inputs = [Signal(layout, init={"a": 1, "b": 2}), Signal(layout, init={"a": 7, "b": 9})]
    select = Signal(2)
    result = one_hot_mux(list(select), inputs)
    assert len(result) == 8

    async def testbench(ctx):
        ctx.set(select, 2)
        assert ctx.get(result) == 7 | 9 << 3

    run(Module(), testbench)


def test_a_single_input_is_not_gated():
    (only,) = inputs = [Signal(8)]
    assert one_hot_mux([Signal()], inputs) is only
