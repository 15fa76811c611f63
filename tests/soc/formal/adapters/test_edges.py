"""Clocks of a component that have their edges when told."""

from helpers.emitted import module_ports
from helpers.streams import run
from knotwork.formal.component import component_verilog
from knotwork_soc.formal.adapters.crossings import AnyClocks, AnyEdges
from knotwork_soc.gateware.adapters import EventCrossing, LinkResets


def events(pattern):
    """Pulses that come out while one is put in at the first edges, by which clocks have edges."""
    dut = AnyEdges(lambda: EventCrossing(width=3, i_domain="left", o_domain="right"))
    seen = []

    async def testbench(ctx):
        ctx.set(dut.i, 1)
        for left, right in pattern:
            ctx.set(dut.left_edge, left)
            ctx.set(dut.right_edge, right)
            await ctx.tick()
            seen.append(ctx.get(dut.o))

    run(dut, testbench)
    return seen


def test_a_clock_without_edges_stands_still():
    assert events([(0, 1)] * 8) == [0] * 8
    assert events([(1, 0)] * 8) == [0] * 8


def test_each_clock_has_its_own_edges():
    assert events([(1, 0)] * 2 + [(0, 1)] * 6) == [0, 0, 0, 0, 1, 1, 0, 0]


def test_clocks_and_resets_may_be_ports():
    verilog = component_verilog(lambda: AnyClocks(lambda: LinkResets(domain="right")))
    pins = {f"{side}_{pin}" for side in ("left", "right") for pin in ("clk", "rst")}
    ports = module_ports(verilog, "part")
    assert {name for name, (way, _) in ports.items() if way == "input"} == pins | {"clk", "rst"}
    top = verilog[verilog.index("module part (") :]
    connected = {
        "right_clk": "right_clk",
        "right_rst": "right_rst",
        "clk": "left_clk",
        "rst": "left_rst",
    }
    assert all(f".{pin}({wire})" in top for pin, wire in connected.items())
    assert "posedge" not in top
