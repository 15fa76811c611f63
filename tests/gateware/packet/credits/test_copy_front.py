"""What may come to the front of a port with copies: the ways by which a flit may leave at once."""

import numpy as np
from amaranth.hdl import Module, Signal
from helpers.netlist import Netlist
from knotwork.gateware.packet.credits.copy_front import NextFlit, Rests, numbers_by_output
from knotwork.gateware.packet.credits.port_buffer import Way


def test_a_packet_s_only_flit_may_leave_by_all_ways_and_another_by_the_highest():
    m, ways = Module(), Signal(4, name="ways")
    last, held, way = Signal(name="last"), Signal(name="held"), Signal(4, name="way")
    m.d.comb += way.eq(NextFlit.made(ways, ways, last, held).way)
    netlist = Netlist(m, [ways, last, held, way])
    codes = np.tile(np.arange(16), 4)
    is_last, is_held = np.repeat([0, 0, 1, 1], 16), np.repeat([0, 1, 0, 1], 16)
    found = netlist.evaluate(ways=codes, last=is_last, held=is_held)["way"]
    highest = np.array([1 << int(code).bit_length() - 1 if code else 0 for code in codes])
    assert (found == np.where((is_last == 1) & (is_held == 0), codes, highest)).all()


def test_channels_without_copies_have_no_ways_left():
    m, chosen, left = Module(), Signal(3, name="chosen"), Signal(2, name="left")
    rests = Rests.made([1, 2], 2)
    assert [*rests.registers] == [1, 2]
    m.d.comb += [rests.registers[1].eq(1), rests.registers[2].eq(2), left.eq(rests.of(chosen))]
    netlist = Netlist(m, [chosen, left])
    assert netlist.evaluate(chosen=np.array([1, 2, 4]))["left"].tolist() == [0, 1, 2]


def test_ways_are_numbered_by_their_outputs():
    ways = [Way(0, 0), Way(2, 0), Way(2, 1), Way(3, 1)]
    assert numbers_by_output(ways, [0, 2, 3]) == [[0], [1, 2], [3]]
