import json
from random import Random

import pytest
from amaranth.back import verilog
from amaranth.hdl import Module, Signal
from amaranth.lib import data
from helpers.streams import run
from knotwork.gateware.parts.crossbar import is_smaller_steered, one_hot_mux, steered_mux, steering
from knotwork.tools import run_tool


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


@pytest.mark.parametrize("count", range(2, 10))
def test_a_steered_multiplexer_gives_what_a_one_hot_one_gives(count):
    inputs = [Signal(6, name=f"i{place}") for place in range(count)]
    select, dice = Signal(count), Random(count)
    steered, plain = steered_mux(steering(select), inputs), one_hot_mux(list(select), inputs)

    async def testbench(ctx):
        for chosen in [0, *(1 << place for place in range(count))] * 10:
            ctx.set(select, chosen)
            payloads = [dice.getrandbits(6) for _ in inputs]
            for signal, payload in zip(inputs, payloads, strict=True):
                ctx.set(signal, payload)
            expected = payloads[chosen.bit_length() - 1] if chosen else 0
            assert ctx.get(steered) == ctx.get(plain) == expected

    run(Module(), testbench)


@pytest.mark.parametrize(
    "count", [4, 5, 6, *(pytest.param(count, marks=pytest.mark.slow) for count in (3, 7))]
)
def test_a_steered_multiplexer_takes_a_table_per_two_inputs_where_it_is_used(count, tmp_path):
    """Of four inputs, after synthesis; tables per bit."""
    m, ports = Module(), []
    for name in ("steered", "one_hot"):
        m.submodules[name] = part = Module()
        inputs = [Signal(4, name=f"{name}_i{place}") for place in range(count)]
        select, result = Signal(count, name=f"{name}_select"), Signal(4, name=f"{name}_result")
        lines = Signal(len(steering(select)), name=f"{name}_lines")
        value = steered_mux(lines, inputs)
        part.d.comb += result.eq(value if name == "steered" else one_hot_mux(list(select), inputs))
        ports += [lines if name == "steered" else select, *inputs, result]
    (tmp_path / "top.v").write_text(verilog.convert(m, name="top", ports=ports))
    script = "read_verilog top.v; synth -top top; abc -lut 4; write_json top.json"
    run_tool(["yosys", "-q", "-p", script], tmp_path)
    modules = json.loads((tmp_path / "top.json").read_text())["modules"]
    steered, one_hot = (
        sum(cell["type"] == "$lut" for cell in modules[f"top.{name}"]["cells"].values()) / 4
        for name in ("steered", "one_hot")
    )
    assert one_hot > 0
    assert (steered < one_hot) == is_smaller_steered(count)
    if steered < one_hot:
        assert steered == count / 2
