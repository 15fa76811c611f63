from random import Random

import pytest
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest.packet.copies import CopyAnnouncer
from knotwork_boards.selftest.packet_format import PacketFormat


def write(run, form, address, packets):
    """Beats (data, last, destination, mark) that packets (beats, destination) become.

    A destination of None stands for all members. Both ends make pauses. The second result says for
    each beat how many copies were signalled: with it (with a chain) or before it (without).
    """
    dut = CopyAnnouncer(format=form, address=address)
    dice = Random(2)
    mark = "multicast" if form.chained else "broadcast"
    beats = [
        {
            "data": data,
            "last": int(place == len(packet) - 1),
            "destination": address if destination is None else destination,
            mark: int(destination is None),
        }
        for packet, destination in packets
        for place, data in enumerate(packet)
    ]
    out = []
    sent = []

    async def testbench(ctx):
        held, told = None, 0
        for beat in beats:
            while dice.randrange(3) == 0:
                assert not ctx.get(dut.sent)
                await ctx.tick()
            ctx.set(dut.i.payload, beat)
            ctx.set(dut.i.valid, 1)
            taken = False
            while not taken:
                ctx.set(dut.o.ready, dice.randrange(2))
                if not ctx.get(dut.o.valid):
                    assert not ctx.get(dut.i.ready)
                    assert held is None
                    told += ctx.get(dut.sent)
                    await ctx.tick()
                    continue
                payload = ctx.get(dut.o.payload)
                marked = payload.multicast if form.chained else payload.broadcast
                offered = (payload.data, payload.last, payload.destination, marked)
                assert held in (None, offered)
                held = offered
                if ctx.get(dut.o.ready):
                    out.append(offered)
                    sent.append(told + ctx.get(dut.sent))
                    held, told = None, 0
                else:
                    assert not ctx.get(dut.sent)
                taken = ctx.get(dut.i.ready)
                await ctx.tick()
            ctx.set(dut.i.valid, 0)

    run(dut, testbench)
    return out, sent


@pytest.mark.parametrize(
    ("network", "members"),
    [
        (Network(Hypercube(n=1), multicast="yes", data_width=8), 1),
        (Network(Hypercube(n=2), multicast="yes", data_width=8), 3),
        (Network(Moebius(n=3), multicast="yes", max_packet=6), 5),
    ],
    ids=["one", "all", "some"],
)
def test_a_multicast_is_led_by_its_members_in_xor_order(run, network, members):
    form = PacketFormat(network)
    own = network.topology.nodes - 1
    packets = [([7, 9], 0), ([5], None), ([6, 1, 3], None), ([4], own), ([8, 2], None)]
    out, sent = write(run, form, own, packets)
    expected, of_chain = [], []
    for data, destination in packets:
        chain = [own ^ step for step in range(1, members + 1)] if destination is None else []
        number = members if destination is None else destination
        beats = [*chain, *data]
        for place, beat in enumerate(beats):
            last = int(place == len(beats) - 1)
            expected.append((beat, last, number, int(destination is None)))
            of_chain.append(int(place < len(chain)))
    assert out == expected
    assert sent == of_chain


@pytest.mark.parametrize(("w", "levels"), [(2, 1), (2, 2), (3, 2)])
def test_a_broadcast_waits_until_its_copies_are_told(run, w, levels):
    form = PacketFormat(Network(WkRecursive(w=w, levels=levels)))
    own = form.addresses[-1]
    packets = [([7, 9], 0), ([5], None), ([6, 1, 3], None), ([4], own), ([8, 2], None)]
    out, sent = write(run, form, own, packets)
    expected, of_copies = [], []
    for data, destination in packets:
        for place, beat in enumerate(data):
            named = own if destination is None else destination
            expected.append((beat, int(place == len(data) - 1), named, int(destination is None)))
            of_copies.append(w**levels - 1 if destination is None and place == 0 else 0)
    assert out == expected
    assert sent == of_copies
