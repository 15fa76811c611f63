from random import Random

from amaranth.hdl import Fragment, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from helpers.streams import consume, produce, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork.gateware.buses.packets.chunks import Cutter, Joiner
from knotwork.gateware.buses.packets.layouts import element_layout

WIDTHS = st.integers(1, 40)
PAUSES = st.sampled_from([0, 0.4])


class Both(wiring.Component):
    """Elements cut, and joined again."""

    def __init__(self, width, flit_width):
        self.widths = {"width": width, "flit_width": flit_width}
        layout = element_layout(width)
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(layout))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.cutter = cutter = Cutter(**self.widths)
        m.submodules.joiner = joiner = Joiner(**self.widths)
        wiring.connect(m, wiring.flipped(self.i), cutter.i)
        wiring.connect(m, cutter.o, joiner.i)
        wiring.connect(m, joiner.o, wiring.flipped(self.o))
        return m


def clocked(dut):
    """Component beside a register: alone it may have no clock."""
    m = Module()
    m.submodules.dut = dut
    m.d.sync += Signal(name="beside").eq(1)
    return m


@settings(max_examples=8)
@given(width=WIDTHS, flit_width=st.integers(1, 16), bubble=PAUSES, stall=PAUSES)
@example(width=8, flit_width=8, bubble=0.4, stall=0.4)
@example(width=9, flit_width=8, bubble=0, stall=0.4)
def test_flits_are_the_elements_lowest_bits_first(width, flit_width, bubble, stall):
    dut, taken = Cutter(width=width, flit_width=flit_width), []
    elements = [Random(number).getrandbits(width) for number in range(20)]
    flits = -(-width // flit_width)
    want = [
        ((element >> place * flit_width) % (1 << flit_width), place == flits - 1)
        for element in elements
        for place in range(flits)
    ]
    run(
        clocked(dut),
        produce(dut.i, elements, bubble=bubble),
        consume(dut.o, taken, len(want), stall=stall),
        background=[watch(dut.o)],
    )
    assert [(flit.element, bool(flit.last)) for flit in taken] == want


@settings(max_examples=8)
@given(width=WIDTHS, flit_width=st.integers(1, 16), bubble=PAUSES, stall=PAUSES)
@example(width=9, flit_width=8, bubble=0.4, stall=0.4)
def test_elements_come_out_as_they_went_in(width, flit_width, bubble, stall):
    dut, taken = Both(width, flit_width), []
    elements = [Random(number).getrandbits(width) for number in range(20)]
    run(
        clocked(dut),
        produce(dut.i, elements, bubble=bubble),
        consume(dut.o, taken, len(elements), stall=stall),
        background=[watch(dut.o)],
    )
    assert [one.element for one in taken] == elements


def test_an_element_that_fits_into_a_flit_takes_no_cycle_and_no_register():
    for component in (Cutter(width=7, flit_width=7), Joiner(width=7, flit_width=7)):
        fragment = Fragment.get(component, None)
        assert set(fragment.statements) == {"comb"}
