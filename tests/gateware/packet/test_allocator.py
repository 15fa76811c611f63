from random import Random

import pytest
from helpers.streams import assign, clocked, run
from knotwork.gateware.packet.allocator import InputAllocator, OutputAllocator
from knotwork.routing import Turn

OUT = 9  # the output's port


def turns_of(inputs, classes):
    """Turns to one output: from each input channel to itself and the channels above."""
    return tuple(
        Turn(port, a, OUT, b)
        for port in range(inputs)
        for a in range(classes)
        for b in range(a, classes)
    )


class Packets:
    """Random packets on every input channel: the place of each one's turn, and the flits left."""

    def __init__(self, turns, dice):
        self.turns, self._dice = turns, dice
        self._packets = {turn[:2]: None for turn in turns}
        self.crossed = dict.fromkeys(turns, 0)

    def ask(self, shows):
        """Bits of the turns asked for, and of those by last flits; `shows(place)` says who asks."""
        request = last = 0
        for sender in self._packets:
            if self._packets[sender] is None:
                places = [p for p, turn in enumerate(self.turns) if turn[:2] == sender]
                self._packets[sender] = self._dice.choice(places), self._dice.randint(1, 4)
            place, left = self._packets[sender]
            if shows(place):
                request |= 1 << place
                last |= int(left == 1) << place
        return request, last

    def cross(self, crosses, last):
        """A flit goes by the turn of this bit: its place, and whether it is its packet's last."""
        place, ends = crosses.bit_length() - 1, bool(last & crosses)
        turn = self.turns[place]
        self.crossed[turn] += 1
        left = self._packets[turn[:2]][1] - 1
        self._packets[turn[:2]] = None if ends else (place, left)
        return place, ends


@pytest.mark.parametrize(("inputs", "classes"), [(1, 1), (4, 1), (3, 2), (2, 3)])
def test_an_output_channel_is_one_packets_until_its_tail(inputs, classes):
    """Acceptance is refused at random."""
    turns = turns_of(inputs, classes)
    dut, dice = OutputAllocator(turns, virtual_channels=classes), Random(inputs)
    assert dut.turns == turns
    packets, owner = Packets(turns, dice), [None] * classes

    async def testbench(ctx):
        for _ in range(500):
            request, last = packets.ask(lambda _: dice.random() < 0.7)
            ready = sum(1 << v for v in range(classes) if dice.random() < 0.7)
            assign(ctx, dut, request=request, ready=0)
            granted = ctx.get(dut.granted)
            ctx.set(dut.ready, ready)
            assert ctx.get(dut.granted) == granted, "a grant does not depend on ready"
            offer = ctx.get(dut.offer)
            assert granted & ~request == 0
            could_cross = 0
            for vc in range(classes):
                mine = [p for p, t in enumerate(turns) if t.output_vc == vc and granted >> p & 1]
                asked = [p for p, t in enumerate(turns) if t.output_vc == vc and request >> p & 1]
                assert len(mine) <= 1
                if owner[vc] is None:
                    assert bool(mine) == bool(asked), "a free channel is granted to who asks"
                else:
                    assert mine in ([], [owner[vc]]), "a packet is not broken into"
                    assert bool(mine) == (owner[vc] in asked)
                if mine:
                    owner[vc] = mine[0]
                    could_cross |= (ready >> vc & 1) << mine[0]
            assert offer & (offer - 1) == 0
            assert offer & ~could_cross == 0, "only who has room behind the output"
            assert bool(offer) == bool(could_cross), "no clock is wasted"
            crosses = offer if dice.random() < 0.8 else 0
            assign(ctx, dut, crosses=crosses, tail=bool(last & crosses))
            if crosses:
                place, ends = packets.cross(crosses, last)
                if ends:
                    owner[turns[place].output_vc] = None
            await ctx.tick()

    run(dut, testbench)
    assert min(packets.crossed.values()) > 0


def test_an_output_stays_with_a_packet_that_moves():
    turns = (Turn(0, 0, OUT, 0), Turn(1, 1, OUT, 1))
    dut, offers = OutputAllocator(turns, virtual_channels=2), []

    async def testbench(ctx):
        ctx.set(dut.request, 0b11)
        for last, ready in ((0, 3), (0, 3), (1, 3), (0, 3), (0, 1), (0, 3), (0, 3)):
            ctx.set(dut.ready, ready)
            offers.append(ctx.get(dut.offer))
            assign(ctx, dut, crosses=offers[-1], tail=bool(last & offers[-1]))
            await ctx.tick()

    run(dut, testbench)
    # One packet to its tail, then the other, which has no room in one cycle and loses its turn.
    assert offers == [1, 1, 1, 2, 1, 1, 1]


@pytest.mark.parametrize("channels", [1, 2, 3, 8])
def test_an_input_accepts_one_offer_and_stays_with_it(channels):
    dut, dice = InputAllocator(channels=channels), Random(channels)
    counts = [0] * channels

    async def testbench(ctx):
        moving = None
        for _ in range(300):
            offered, last = dice.getrandbits(channels), dice.getrandbits(channels)
            assign(ctx, dut, offered=offered, last=last)
            accepted = ctx.get(dut.accepted)
            assert accepted & (accepted - 1) == 0
            assert accepted & ~offered == 0
            assert bool(accepted) == bool(offered)
            if moving and offered & moving:
                assert accepted == moving
            moving = accepted & ~last
            if accepted:
                counts[accepted.bit_length() - 1] += 1
            await ctx.tick()

    run(clocked(dut), testbench)  # one channel has no register
    assert min(counts) > 300 / channels / 3


def test_who_asks_without_showing_a_flit_is_granted_and_offered_nothing():
    """Three that ask for one channel for good, each showing its flit now and then."""
    turns = turns_of(3, 1)
    dut, dice = OutputAllocator(turns, virtual_channels=1, branching=True), Random(1)
    served, owner = [0, 0, 0], None

    async def testbench(ctx):
        nonlocal owner
        assign(ctx, dut, request=0b111, tail=1)
        for _ in range(600):
            # The first two always show theirs: who seldom does must get its turn even so.
            present = 0b011 | (dice.random() < 0.1) << 2
            ready = int(dice.random() < 0.7)
            assign(ctx, dut, present=present, ready=ready)
            granted, offer = ctx.get(dut.granted), ctx.get(dut.offer)
            assert granted.bit_count() == 1
            assert owner in (None, granted), "a grant is kept until the tail"
            assert ctx.get(dut.could) == (granted & present if ready else 0)
            assert offer == ctx.get(dut.could)
            ctx.set(dut.crosses, offer)
            owner = granted
            if offer:
                served[offer.bit_length() - 1] += 1
                owner = None
            await ctx.tick()

    run(dut, testbench)
    assert max(served) - min(served) <= 1


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(("inputs", "classes"), [(4, 1), (3, 2)])
def test_registered_grants_come_a_clock_later_and_hold_to_the_tail(inputs, classes, plain):
    """Acceptance is refused at random where it can be."""
    turns = turns_of(inputs, classes)
    plain = plain and classes == 1
    dut = OutputAllocator(turns, virtual_channels=classes, registered=True, plain=plain)
    dice, owner = Random(inputs), [None] * classes
    packets = Packets(turns, dice)

    async def testbench(ctx):
        for _ in range(800):
            # Whoever asked goes on asking; the next flit of a packet may be late.
            request, last = packets.ask(lambda place: place not in owner or dice.random() < 0.7)
            ready = sum(1 << v for v in range(classes) if dice.random() < 0.7)
            for port, value in ((dut.request, request), (dut.present, request)):
                ctx.set(port, value)
            ctx.set(dut.ready, ready)
            owns = sum(1 << place for place in owner if place is not None)
            assert ctx.get(dut.owns) == owns
            assert ctx.get(dut.granted) == owns & request
            free = sum(1 << vc for vc in range(classes) if owner[vc] is None)
            assert ctx.get(dut.free) == free
            offer = ctx.get(dut.offer)
            could = sum(1 << p for p in owner if p is not None and ready >> turns[p][3] & 1)
            assert (offer & request).bit_count() == bool(could & request), "no clock is wasted"
            assert offer & ~could == 0
            offer &= request
            crosses = offer if plain or dice.random() < 0.8 else 0
            ctx.set(dut.crosses, crosses)
            ctx.set(dut.tail, bool(last & crosses) if crosses else dice.random() < 0.5)
            await ctx.tick()
            ended = None
            if crosses:
                place, ends = packets.cross(crosses, last)
                ended = place if ends else None
            owns = ctx.get(dut.owns)
            for vc in range(classes):
                mine = [p for p, t in enumerate(turns) if t.output_vc == vc]
                now = [p for p in mine if owns >> p & 1]
                assert len(now) <= 1
                asked = [p for p in mine if request >> p & 1 and p != owner[vc]]
                if owner[vc] is None or owner[vc] == ended:
                    assert bool(now) == bool(asked) and set(now) <= set(asked)
                    owner[vc] = now[0] if now else None
                else:
                    assert now == [owner[vc]], "a packet is not broken into"

    run(dut, testbench)
    assert min(packets.crossed.values()) > 0
