"""The generator's gates against that of the models."""

from types import SimpleNamespace

import numpy as np
import pytest
from amaranth.hdl import Fragment, Module, Signal
from helpers.netlist import Netlist
from helpers.streams import run
from knotwork import Network
from knotwork.gateware.packet.inputs import constants
from knotwork.gateware.parts.draws import draw, written_table
from knotwork.routing.draws import drawn, first_state, next_state

WORDS = ("mesh:x=3,y=3,routing=valiant", "ccc:n=3,routing=valiant", "mesh:x=4,y=4,routing=o1turn",
         "torus:x=16,y=16,routing=valiant", "wk:w=5,levels=2,routing=valiant")  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_node_draws_as_its_model_does(word):
    network = Network.from_word(word)
    routing, width = network.routing, network.topology.address_width
    m, address, steps = Module(), Signal(width), Signal()
    node = SimpleNamespace(address=address)
    generator, code = draw(m, routing, node, Signal(width), steps)
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
    node, routing = SimpleNamespace(address=Signal(2)), Network.from_word("mesh:x=2,y=2").routing
    generator, code = draw(m, routing, node, Signal(2), Signal())
    assert (len(generator), len(code)) == (0, 0)
    assert not Fragment.get(m, None).statements


WRITING = (
    *("mesh:x=4,y=4", "mesh:x=3,y=2", "torus:x=4,y=3", "hypercube:n=4", "ccc:n=3"),
    *("wk:w=3,levels=2", "moebius:n=3", "mesh:x=3,y=2,nodes_per_router=3", "mesh:x=3,y=3,dead=0-1"),
    *("mesh:x=2,y=2,classes=2", "mesh:x=2,y=2,nodes_per_router=2,classes=2"),
)


@pytest.mark.parametrize("word", WRITING)
def test_headers_have_what_the_routing_writes(word):
    """From every node to every other one that it may send to, for every number drawn."""
    network = Network.from_word(f"{word},routing=romm")
    topology, routing = network.topology, network.routing
    table = written_table(routing)
    names = ("written", "destination", "number")
    widths = (table.width, topology.address_width, table.number_bits)
    written, destination, number = ports = [
        Signal(width, name=name) for name, width in zip(names, widths, strict=True)
    ]
    m, code = Module(), Signal(routing.draw_width, name="code")
    m.d.comb += code.eq(table.look_up(written, destination, number))
    pins = [constants(network, router).get("written") for router in range(topology.routers)]
    cases = [
        (source, end, drawn)
        for source in range(topology.nodes)
        for end in topology.receivers(source)
        for drawn in range(routing.draws)
    ]
    found = Netlist(m, [*ports, code]).evaluate(
        written=np.array([pins[topology.router_of(source)].value for source, _, _ in cases]),
        destination=np.array([topology.address(end) for _, end, _ in cases]),
        number=np.array([drawn for _, _, drawn in cases]),
    )
    numbers = [int(routing.label(*case)) // topology.nodes for case in cases]
    assert found["code"].tolist() == routing.draw_codes[numbers].tolist()
    assert len(set(numbers)) > 1


def test_a_router_whose_nodes_write_what_they_draw_has_no_table():
    network = Network.from_word("mesh:x=3,y=3,routing=valiant")
    assert written_table(network.routing) is None
    assert constants(network, 0).keys() == {"address"}


def test_lower_bits_of_nodes_that_share_a_router_do_not_count():
    network = Network.from_word("mesh:x=4,y=4,nodes_per_router=3,routing=romm")
    table = written_table(network.routing)
    # Four bits of a router's address and four of the number drawn; an entry is a node's address.
    assert (table.ignored, table.places, table.width) == (2, 256, 256 * 6)
