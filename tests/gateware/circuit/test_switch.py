"""One switch in Amaranth's simulator, and its parts; whole networks are tested in tests/sim."""

import pytest
from amaranth.hdl import Cat, Module, Signal
from helpers.streams import assign
from helpers.streams import run as simulate
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork.gateware.circuit.interface import (
    beyond_all,
    beyond_levels,
    first_of,
    own_bits,
    placed_bits,
)
from knotwork.gateware.circuit.layouts import Kind, header_layout
from knotwork.gateware.circuit.switch import CircuitSwitch, count_ones, scanned
from knotwork.routing.circuits import next_state, scan_starts
from knotwork.topology import Kyklos

NETWORK = Network.from_word("lcan:d=4,u=2,levels=2,max_packet=4,data_width=8")
DOWN, UP = 4, 2


def switch_of(network, level):
    kind = network.router_kinds[level]
    return CircuitSwitch(network, kind)


def run(switch, bench, *, address=0, seed=1):
    async def testbench(ctx):
        assign(ctx, switch, address=address, seed=seed)
        ctx.set(switch.control.begin, 1)
        await ctx.tick()
        ctx.set(switch.control.begin, 0)
        await bench(ctx)

    simulate(switch, testbench)


def header(network, source, destination):
    topology = network.topology
    ends = {"destination": topology.address(destination), "source": topology.address(source)}
    return header_layout(network).const(ends).as_bits()


async def offer(ctx, switch, headers):
    """Headers on links by their place, for one clock."""
    for place, code in headers.items():
        assign(ctx, switch.i[place], kind=Kind.HEADER.value, data=code)
    await ctx.tick()
    for place in headers:
        ctx.set(switch.i[place].kind, Kind.IDLE.value)


def shown(ctx, switch):
    """What is on the links out, by place."""
    return {
        place: ctx.get(link.data)
        for place, link in enumerate(switch.o)
        if ctx.get(link.kind) == Kind.HEADER.value
    }


@settings(max_examples=10)
@given(seed=st.integers(1, 2**32 - 1), wanted=st.lists(st.integers(-1, 15), min_size=4, max_size=4))
def test_headers_from_below_get_what_section_7_3_says(seed, wanted):
    """Switch 0 of level 0 serves PEs 0..3; -1 is no header."""
    switch = switch_of(NETWORK, 0)
    first, _, upper = scan_starts(next_state(seed), DOWN, UP)
    order = [(first + distance) % DOWN for distance in range(DOWN)]
    expected, up = {}, 0
    for a in order:
        if wanted[a] >= 4 and up < UP:
            expected[DOWN + (upper + up) % UP] = header(NETWORK, a, wanted[a])
            up += 1
        elif 0 <= wanted[a] < 4:  # down again: the first in the order gets the downer
            expected.setdefault(wanted[a], header(NETWORK, a, wanted[a]))

    async def bench(ctx):
        await offer(ctx, switch, {a: header(NETWORK, a, t) for a, t in enumerate(wanted) if t >= 0})
        assert shown(ctx, switch) == expected

    run(switch, bench, seed=seed)


@settings(max_examples=10)
@given(seed=st.integers(1, 2**32 - 1), wanted=st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_headers_from_above_find_what_is_left(seed, wanted):
    """PE 0 has turned to downer 2; later two come down."""
    switch = switch_of(NETWORK, 0)
    _, first, _ = scan_starts(next_state(seed), DOWN, UP)
    expected = {}
    for distance in range(UP):
        b = (first + distance) % UP
        if wanted[b] != 2:
            expected.setdefault(wanted[b], header(NETWORK, 9 + b, wanted[b]))

    async def bench(ctx):
        await offer(ctx, switch, {0: header(NETWORK, 0, 2)})
        await ctx.tick()
        await offer(ctx, switch, {4 + b: header(NETWORK, 9 + b, wanted[b]) for b in range(UP)})
        assert shown(ctx, switch) == expected

    run(switch, bench, seed=seed)


def test_an_acknowledge_comes_back_a_clock_a_link_and_goes_with_the_circuit():
    switch = switch_of(NETWORK, 0)

    async def bench(ctx):
        await offer(ctx, switch, {1: header(NETWORK, 1, 3)})
        ctx.set(switch.o[3].back, 1)
        ctx.set(switch.o[0].back, 1)  # of no circuit
        assert not ctx.get(switch.i[1].back)
        await ctx.tick()
        assert [ctx.get(link.back) for link in switch.i] == [0, 1, 0, 0, 0, 0]
        assign(ctx, switch.i[1], kind=Kind.LAST.value, data=0x5A)
        await ctx.tick()
        assert ctx.get(switch.o[3].kind) == Kind.LAST.value
        assert ctx.get(switch.o[3].data) & 0xFF == 0x5A
        ctx.set(switch.control.release, 1)
        await ctx.tick()
        ctx.set(switch.control.release, 0)
        assert not any(ctx.get(link.back) for link in switch.i)
        assert not any(ctx.get(link.kind) for link in switch.o)
        await ctx.tick()  # the flit still there finds no circuit
        assert not any(ctx.get(link.kind) for link in switch.o)

    run(switch, bench)


def test_the_wires_of_a_child_are_given_in_their_order():
    """In a tree switch of level 1 has two wires to each of two children."""
    network = Network.from_word("lcan:d=4,u=2,levels=2,interconnect=tree,max_packet=4")
    switch = switch_of(network, 1)
    to_child_1 = [header(network, source, 5) for source in range(3)]

    async def bench(ctx):
        await offer(ctx, switch, {0: to_child_1[0]})
        assert shown(ctx, switch) == {2: to_child_1[0]}
        await offer(ctx, switch, {1: to_child_1[1]})
        assert shown(ctx, switch)[3] == to_child_1[1]

    run(switch, bench)


ONE_WAY = Network.from_word("banyan:d=2,u=2,levels=2,max_packet=4,data_width=8")


def test_a_switch_in_one_way_use_sends_up_to_terminals_and_down_to_pes_at_once():
    """Top switch 1, links A0 A1 B0 B1 in and C0 C1 D0 D1 out; terminals 2 and 3 are nodes 6, 7."""
    switch = switch_of(ONE_WAY, 1)
    headers = {
        place: header(ONE_WAY, *ends) for place, ends in enumerate([(1, 7), (2, 6), (6, 3), (7, 0)])
    }

    async def bench(ctx):
        await offer(ctx, switch, headers)
        assert shown(ctx, switch) == {3: headers[0], 2: headers[1], 1: headers[2], 0: headers[3]}

    run(switch, bench)


@settings(max_examples=8)
@given(seed=st.integers(1, 2**32 - 1))
def test_of_two_headers_for_one_terminal_the_nearest_gets_it(seed):
    switch = switch_of(ONE_WAY, 1)
    headers = {0: header(ONE_WAY, 0, 6), 1: header(ONE_WAY, 3, 6)}

    async def bench(ctx):
        await offer(ctx, switch, headers)
        first = scan_starts(next_state(seed), 2, 2).below
        assert shown(ctx, switch) == {2: headers[first]}

    run(switch, bench, seed=seed)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_requests_are_served_from_the_start_round(count):
    """Section 7.3: scan distance (input - start) mod inputs."""
    requests, start, served = Signal(count), Signal(range(count + 1)), Signal(count * count)
    total = Signal(range(count + 1))
    m = Module()
    entries = scanned(requests, start)
    asked = Signal(count)
    m.d.comb += [
        served.eq(Cat(Cat(inputs) for _, inputs in entries)),
        asked.eq(Cat(asked for asked, _ in entries)),
        total.eq(count_ones(m, [requests[n] for n in range(count)], "ones")),
    ]

    async def testbench(ctx):
        for first in range(count):
            for code in range(1 << count):
                ctx.set(start, first)
                ctx.set(requests, code)
                found = ctx.get(served)
                for distance in range(count):
                    number = (first + distance) % count
                    there = code >> number & 1
                    assert found >> distance * count & (1 << count) - 1 == there << number
                    assert ctx.get(asked) >> distance & 1 == there
                assert ctx.get(total) == code.bit_count()

    simulate(m, testbench)


def test_places_and_levels_of_all_pairs():
    """Addresses of places as gates, against the topology's arithmetic."""
    topology = Kyklos(k=3, levels=3, copies=4)
    own, other = Signal(topology.address_width), Signal(topology.address_width)
    copies = range(topology.copies)
    m = Module()
    found = [Signal(topology.address_width, name=f"placed_{copy}") for copy in copies]
    back = [Signal(topology.address_width, name=f"back_{copy}") for copy in copies]
    beyond = [Signal(3, name=f"beyond_{copy}") for copy in copies]
    least, first = Signal(3, name="least"), Signal(topology.address_width, name="first")
    for copy in copies:
        m.d.comb += [
            found[copy].eq(placed_bits(topology, copy, own)),
            back[copy].eq(own_bits(topology, copy, found[copy])),
            beyond[copy].eq(beyond_levels(topology, copy, own, other)),
        ]
    m.d.comb += [least.eq(beyond_all(topology, own, other)), first.eq(first_of(Cat(own)))]

    async def testbench(ctx):
        for s in range(0, 27, 2):
            ctx.set(own, topology.address(s))
            assert ctx.get(first) == topology.address(s) & -topology.address(s)
            for copy in copies:
                assert ctx.get(found[copy]) == topology.address(topology.position_in_copy(copy, s))
                assert ctx.get(back[copy]) == topology.address(s)
            for t in range(0, 27, 3):
                ctx.set(other, topology.address(t))
                for copy, level in enumerate(topology.lca_levels(s, t).tolist()):
                    assert ctx.get(beyond[copy]) == (1 << level) - 1
                assert ctx.get(least) == (1 << topology.lca_level(s, t)) - 1

    simulate(m, testbench)
