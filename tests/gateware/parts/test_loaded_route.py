"""Routes by a table that is loaded: the network's own gates until then, and the bank in force."""

from random import Random

from helpers.streams import run
from knotwork import Network
from knotwork.gateware.parts.loaded_route import LoadedRoute, channel_layout
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.route import input_turns

NETWORK = Network.from_word("torus:x=3,y=3,tables=loaded")


def test_banks_are_written_and_take_force_in_turn():
    (kind,) = NETWORK.router_kinds
    port, vc = kind.receiving[0], 0
    own_turns = input_turns(kind, port, vc)
    turns = tuple(turn for turn in kind.turns if (turn.input_port, turn.input_vc) == (port, vc))
    assert set(own_turns) < set(turns)
    own = route_computation(NETWORK)(NETWORK, own_turns)
    route = LoadedRoute(NETWORK, turns, own, router=0)
    layout, dice = channel_layout(NETWORK), Random(5)

    async def load(ctx, bank, table):
        ctx.set(route.bank, bank)
        for node, turn in table.items():
            out_class = 0 if turn.output_port in kind.node_ports else turn.output_vc
            entry = layout.const({"port": turn.output_port, "channel_class": out_class})
            ctx.set(route.place, node)
            ctx.set(route.entry, entry.as_bits())
            ctx.set(route.writes, 1)
            await ctx.tick()
        ctx.set(route.writes, 0)

    def read(ctx, node):
        ctx.set(route.destination, node)
        return [turn for place, turn in enumerate(turns) if ctx.get(route.select) >> place & 1]

    async def testbench(ctx):
        tables = [{node: dice.choice(turns) for node in range(9)} for _ in range(3)]
        for bank, table in enumerate(tables):
            before = [read(ctx, node) for node in range(9)]
            await load(ctx, bank % 2, table)
            assert [read(ctx, node) for node in range(9)] == before
            ctx.set(route.loaded, 1)
            ctx.set(route.bank, ~bank & 1)
            assert [read(ctx, node) for node in range(9)] == [[table[n]] for n in range(9)]
        ctx.set(route.loaded, 0)
        assert read(ctx, 0)[0] in own_turns

    run(route, testbench)
