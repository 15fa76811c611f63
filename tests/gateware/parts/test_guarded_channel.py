from random import Random

import pytest
from knotwork import Hypercube, Network
from knotwork.gateware.parts.guarded_channel import GuardedChannel
from knotwork.gateware.router import make_input_channel
from knotwork.topology import LOCAL
from streams import run

ADDRESS = 0b101
SOURCE = 2


def channel(**hardware):
    """Local input channel of a router of the hypercube n=3, and the ports of its turns."""
    network = Network(Hypercube(n=3), data_width=8, parity="yes", **hardware)
    dut = make_input_channel(network, network.router_kinds[0], LOCAL, 0)
    assert isinstance(dut, GuardedChannel)
    return dut, [turn.output_port for turn in dut.turns]


def packet(destination, length, *, at=None, fault=None):
    """Flits with their parity; in flit `at` the fields of `fault` are others."""
    parity = (bin(destination).count("1") + bin(SOURCE).count("1")) % 2
    flits = []
    for beat in range(length):
        last = int(beat == length - 1)
        flits.append(
            {
                "data": beat,
                "last": last,
                "destination": destination,
                "source": SOURCE,
                "header_parity": parity,
                "data_parity": bin(beat).count("1") % 2,
                "last_copies": 3 * last,
            }
            | (fault if fault and beat == at else {})
        )
    return flits


def turns_of(flits, *, grants=0.5, **hardware):
    """Port and `last` of every flit that leaves, with grants and moves at random."""
    dut, ports = channel(**hardware)
    dice, found, sent = Random(1), [], iter(flits)

    registered = hardware.get("pipeline") == 2  # a grant then holds from the next clock on

    async def testbench(ctx):
        ctx.set(dut.address, ADDRESS)
        held = next(sent, None)
        granted = owns = 0
        for _ in range(40 * len(flits)):
            ctx.set(dut.i.valid, held is not None)
            if held is not None:
                ctx.set(dut.i.p, held)
            if registered:
                ctx.set(dut.granted, owns)
            select = ctx.get(dut.select)
            if select and dice.random() < grants:
                granted = select
            if not registered:
                owns = granted
                ctx.set(dut.granted, owns & select)
            moves = bool(owns and select) and dice.random() < 0.6
            ctx.set(dut.o.ready, moves)
            owns = granted
            if moves:
                last = ctx.get(dut.o.p.last)
                found.append((ports[select.bit_length() - 1], last))
                if last:
                    granted = owns = 0
            taken = held is not None and ctx.get(dut.i.ready)
            await ctx.tick()
            if taken:
                held = next(sent, None)

    run(dut, testbench)
    return found


def expected(port, length):
    return [(port, int(beat == length - 1)) for beat in range(length)]


FAULTS = [{"destination": 0b110}, {"source": 3}, {"header_parity": 1}]


def named(fault):
    return "_".join(fault)


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


@pytest.mark.parametrize("fault", FAULTS, ids=named)
def test_a_packet_whose_head_is_broken_is_ejected_as_a_whole(hardware, fault):
    flits = [*packet(0b111, 3), *packet(0b111, 4, at=0, fault=fault), *packet(0b111, 2)]
    found = turns_of(flits, **hardware)
    assert found == [*expected(2, 3), *expected(LOCAL, 4), *expected(2, 2)]


@pytest.mark.parametrize("fault", FAULTS, ids=named)
@pytest.mark.parametrize("at", [1, 3])
def test_a_broken_flit_behind_it_goes_the_heads_way(hardware, fault, at):
    flits = [*packet(0b111, 4, at=at, fault=fault), *packet(0b100, 2)]
    assert turns_of(flits, **hardware) == [*expected(2, 4), *expected(1, 2)]


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
