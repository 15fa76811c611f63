import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_boards.selftest.packet import PacketFormat, spread


def value_of(expression):
    """Value of a constant expression."""
    result = []

    async def testbench(ctx):
        result.append(ctx.get(expression))

    m = Module()
    out = Signal(len(expression))
    m.d.comb += out.eq(expression)
    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()
    return result[0]


def packet_format(n, data_width):
    return PacketFormat(Network(Hypercube(n=n), data_width=data_width))


@pytest.mark.parametrize(
    ("n", "data_width", "sequence_width"), [(1, 8, 3), (2, 8, 3), (4, 8, 3), (3, 32, 8), (4, 16, 6)]
)
def test_sequence_numbers_take_half_of_what_the_address_leaves(n, data_width, sequence_width):
    assert packet_format(n, data_width).sequence_width == sequence_width


def test_a_width_too_small_is_refused():
    with pytest.raises(ConfigurationError) as refused:
        packet_format(5, 8)
    assert str(refused.value) == (
        "hypercube_n5: data_width must be at least 9 for the self-test "
        "(address 5, sequence 3, check 1), not 8"
    )


@given(st.integers(1, 12), st.integers(1, 40), st.data())
def test_spread_shows_every_bit(length, width, data):
    value = data.draw(st.integers(0, (1 << length) - 1))
    place = data.draw(st.integers(0, length - 1))
    one = spread(Const(value, length), width)
    other = spread(Const(value ^ 1 << place, length), width)
    assert len(one) == width
    assert value_of(one) != value_of(other)


@given(st.sampled_from([(1, 8), (2, 8), (4, 8), (3, 32), (4, 13)]), st.data())
def test_a_head_says_its_destination_and_sequence(size, data):
    form = packet_format(*size)
    destination = data.draw(st.integers(0, (1 << form.address_width) - 1))
    sequence = data.draw(st.integers(0, (1 << form.sequence_width) - 1))
    head = form.head(
        destination=Const(destination, form.address_width),
        sequence=Const(sequence, form.sequence_width),
        source=Const(data.draw(st.integers(0, 1)), form.address_width),
        last=Const(data.draw(st.integers(0, 1)), 1),
    )
    assert len(head) == form.data_width
    assert value_of(form.destination_of(head)) == destination
    assert value_of(form.sequence_of(head)) == sequence
