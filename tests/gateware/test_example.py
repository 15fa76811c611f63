from amaranth.back import verilog
from gateware.example import RemoteCounter
from helpers.streams import run


def test_the_counter_arrives():
    """Three routers and a register: number n, offered in cycle n, is shown from cycle n + 4 on."""
    dut, counts = RemoteCounter(), []

    async def testbench(ctx):
        for _ in range(12):
            counts.append(ctx.get(dut.count))
            await ctx.tick()

    run(dut, testbench)
    assert counts == [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]


def test_it_becomes_verilog():
    text = verilog.convert(RemoteCounter(), name="remote_counter")
    (head,) = [line for line in text.splitlines() if line.startswith("module remote_counter(")]
    assert set(head[len("module remote_counter(") :].rstrip(");").split(", ")) == {
        *("clk", "rst", "count")
    }
    routers = [
        line for line in text.splitlines() if line.startswith("module \\remote_counter.noc.router_")
    ]
    names = {line.split(".")[2].split()[0].rstrip("(") for line in routers}
    assert {f"router_{node:02b}" for node in range(4)} <= names
