from random import Random

import pytest
from helpers.guarded import packet
from helpers.streams import run
from knotwork import Hypercube, Network
from knotwork.gateware.packet.guarded_channel import GuardedChannel
from knotwork.gateware.packet.inputs import make_input_channel
from knotwork.topology import LOCAL

ADDRESS = 0b101


def channel(**hardware):
    """Local input channel of a router of the hypercube n=3, and the ports of its turns."""
    network = Network(Hypercube(n=3), data_width=8, parity="yes", **hardware)
    dut = make_input_channel(network, network.router_kinds[0], LOCAL, 0)
    assert isinstance(dut, GuardedChannel)
    return dut, [turn.output_port for turn in dut.turns]


def leaving(flits, **hardware):
    """Port, `last` and `wrong` of every flit that leaves, with moves at random."""
    dut, ports = channel(**hardware)
    dice, found, sent = Random(1), [], iter(flits)

    async def testbench(ctx):
        ctx.set(dut.address, ADDRESS)
        held = next(sent, None)
        for _ in range(40 * len(flits)):
            ctx.set(dut.i.valid, held is not None)
            if held is not None:
                ctx.set(dut.i.p, held)
            moves = bool(ctx.get(dut.o.valid)) and dice.random() < 0.4
            ctx.set(dut.o.ready, moves)
            if moves:
                flit = ctx.get(dut.o.p)
                port = ports[ctx.get(dut.select).bit_length() - 1]
                found.append((port, flit.last, flit.wrong))
            taken = held is not None and ctx.get(dut.i.ready)
            await ctx.tick()
            if taken:
                held = next(sent, None)

    run(dut, testbench)
    return found


def turns_of(flits, **hardware):
    return [(port, last) for port, last, _ in leaving(flits, **hardware)]


def expected(port, length):
    return [(port, int(beat == length - 1)) for beat in range(length)]


FAULTS = [{"destination": 0b110}, {"source": 3}, {"header_parity": 1}]


@pytest.fixture(
    params=[(1, 2), (1, 5), (2, 2), (2, 5)], ids=lambda param: "p{}_depth{}".format(*param)
)
def hardware(request):
    pipeline, depth = request.param
    return {"pipeline": pipeline, "buffer_depth": depth}


def test_sound_packets_leave_as_their_destination_says(hardware):
    lengths = [1, 3, 2, 5, 1, 1, 4, 2]
    flits = [flit for to, n in enumerate(lengths) for flit in packet(to, n)]
    ways = [expected((to ^ ADDRESS).bit_length(), n) for to, n in enumerate(lengths)]
    assert turns_of(flits, **hardware) == [leaving for way in ways for leaving in way]


@pytest.mark.parametrize("fault", FAULTS, ids="_".join)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_packet_goes_the_way_of_its_head_and_is_ejected_if_that_is_broken(hardware, fault, at):
    flits = [*packet(0b111, 3), *packet(0b111, 4, at=at, fault=fault), *packet(0b100, 2)]
    broken = expected(2 if at else LOCAL, 4)
    assert turns_of(flits, **hardware) == [*expected(2, 3), *broken, *expected(1, 2)]


@pytest.mark.parametrize("fault", ["last", "first copy", "second copy"])
@pytest.mark.parametrize("at", [0, 1, 3])
def test_one_wrong_copy_of_last_is_outvoted(hardware, fault, at):
    wrong = {
        "last": {"last": int(at != 3)},
        "first copy": {"last_copies": 2 if at == 3 else 1},
        "second copy": {"last_copies": 1 if at == 3 else 2},
    }
    flits = [*packet(0b111, 4, at=at, fault=wrong[fault]), *packet(0b100, 2)]
    assert turns_of(flits, **hardware) == [*expected(2, 4), *expected(1, 2)]


@pytest.mark.parametrize("field", ["destination", "source", "header_parity", "data", "data_parity"])
@pytest.mark.parametrize("at", [0, 1])
def test_what_is_wrong_is_told_and_nothing_else(hardware, field, at):
    fault = {field: packet(ADDRESS, 3)[at][field] ^ 1}
    flits = [*packet(ADDRESS, 3), *packet(ADDRESS, 3, at=at, fault=fault), *packet(0b111, 2)]
    wrong = [wrong for *_, wrong in leaving(flits, **hardware)]
    assert wrong == [0] * 3 + [int(beat == at) for beat in range(3)] + [0] * 2


def test_a_sound_packet_that_is_ejected_at_a_node_that_is_not_its_is_wrong(hardware):
    """Its head was broken, and it is not: the rest of the packet has its own parity."""
    flits = packet(0b111, 3, at=0, fault={"header_parity": 1})
    assert leaving(flits, **hardware) == [(LOCAL, 0, 1), (LOCAL, 0, 1), (LOCAL, 1, 1)]
