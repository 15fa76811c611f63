import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data
from amaranth.sim import Simulator
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest.packet_format import PacketFormat, common_distances, spread


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
    with refuses(
        "hypercube_n5_data_width8: data_width must be at least 9 for the self-test "
        "(address 5, sequence 3, check 1), not 8"
    ):
        packet_format(5, 8)


def test_a_width_too_small_for_copies_is_refused():
    network = Network(Hypercube(n=4), data_width=8)
    assert PacketFormat(network).copy_width == 0
    with refuses(
        "hypercube_n4_multicastyes_data_width8: data_width must be at least 9 for the self-test "
        "(address 4, copy 1, sequence 3, check 1), not 8"
    ):
        PacketFormat(Network(Hypercube(n=4), data_width=8, multicast="yes"))


@pytest.mark.parametrize(
    ("n", "max_packet", "members", "longest_copy"),
    [(1, 2, 1, 1), (2, 16, 3, 4), (3, 8, 7, 1), (3, 9, 7, 2), (3, 10, 7, 2), (4, 5, 4, 1)],
)
def test_a_multicast_goes_to_all_nodes_that_leave_room_for_data(
    n, max_packet, members, longest_copy
):
    form = PacketFormat(Network(Hypercube(n=n), multicast="yes", max_packet=max_packet))
    assert (form.members, form.longest_copy, form.chained) == (members, longest_copy, True)


@pytest.mark.parametrize(("max_packet", "longest_copy"), [(1, 1), (2, 2), (3, 2), (4, 4), (9, 4)])
@pytest.mark.parametrize(("w", "levels"), [(2, 2), (3, 2), (4, 1)])
def test_a_broadcast_goes_to_all_others_and_needs_no_room_for_them(
    w, levels, max_packet, longest_copy
):
    network = Network(WkRecursive(w=w, levels=levels), max_packet=max_packet)
    form = PacketFormat(network)
    assert (form.members, form.longest_copy, form.chained) == (w**levels - 1, longest_copy, False)
    none = PacketFormat(Network(WkRecursive(w=w, levels=levels), broadcast="no"))
    assert (none.members, none.longest_copy, none.chained) == (0, 0, False)


@pytest.mark.parametrize(
    ("network", "members"),
    [
        (Network(Hypercube(n=3), multicast="yes", max_packet=6), 5),
        (Network(Hypercube(n=2), multicast="yes"), 3),
        (Network(WkRecursive(w=3, levels=2)), None),
    ],
    ids=["some", "all", "broadcast"],
)
def test_members_of_a_multicast_and_of_a_broadcast(network, members):
    form = PacketFormat(network)
    for own in form.addresses:
        for source in form.addresses:
            found = value_of(form.is_member(Const(source, form.address_width), own))
            assert found == (source != own and (members is None or source ^ own <= members))


@pytest.mark.parametrize(("data_width", "window"), [(8, 4), (11, 8), (13, 16), (32, 16)])
def test_the_window_is_half_the_sequence_numbers_or_16(data_width, window):
    network = Network(Moebius(n=3), routing="spr", vc_scheme="escape", data_width=data_width)
    form = PacketFormat(network)
    assert (form.in_order, form.window) == (False, window)
    assert PacketFormat(Network(Moebius(n=3))).in_order


@given(st.integers(1, 12), st.integers(1, 40), st.data())
def test_spread_shows_every_bit(length, width, draws):
    value = draws.draw(st.integers(0, (1 << length) - 1))
    place = draws.draw(st.integers(0, length - 1))
    one = spread(Const(value, length), width)
    other = spread(Const(value ^ 1 << place, length), width)
    assert len(one) == width
    assert value_of(one) != value_of(other)


@given(
    st.sampled_from([(1, 8), (2, 8), (4, 9), (3, 32), (4, 13)]),
    st.sampled_from(["none", "multicast", "broadcast"]),
    st.data(),
)
def test_a_head_holds_destination_sequence_and_copy(size, several, draws):
    n, width = size
    network = Network(Hypercube(n=n), data_width=width)
    if several == "multicast":
        network = Network(Hypercube(n=n), data_width=width, multicast="yes")
    if several == "broadcast":
        network = Network(WkRecursive(w=2, levels=n), data_width=width)
    form = PacketFormat(network)
    copied = int(several != "none")
    destination = draws.draw(st.integers(0, (1 << form.address_width) - 1))
    sequence = draws.draw(st.integers(0, (1 << form.sequence_width) - 1))
    copy = draws.draw(st.integers(0, copied))
    head = form.head(
        destination=Const(destination, form.address_width),
        copy=Const(copy, form.copy_width),
        sequence=Const(sequence, form.sequence_width),
        source=Const(draws.draw(st.integers(0, 1)), form.address_width),
        last=Const(draws.draw(st.integers(0, 1)), 1),
    )
    assert len(head) == form.data_width
    assert value_of(form.destination_of(head)) == destination
    assert value_of(form.sequence_of(head)) == sequence
    assert len(form.copy_of(head)) == copied
    if copied:
        assert value_of(form.copy_of(head)) == copy


@pytest.mark.parametrize(
    ("word", "distances"),
    [
        ("hypercube:n=2", [1, 2, 3]),
        ("hypercube:n=2,nodes_per_router=2", [1, 2, 3, 4, 5, 6, 7]),
        # The last of four addresses at a router is of no node.
        ("hypercube:n=2,nodes_per_router=3", [4, 8, 12]),
        ("mesh:x=2,y=2,classes=2", [2, 4, 6]),
        ("mesh:x=3,y=1", []),
    ],
)
def test_distances_that_lead_from_every_node_to_one_of_its_receivers(word, distances):
    assert list(common_distances(Network.from_word(word).topology)) == distances


def test_members_of_a_multicast_whose_distances_have_gaps():
    form = PacketFormat(Network(Hypercube(n=2), multicast="yes"))
    assert [value_of(form.member_of(2, Const(number, 2))) for number in (1, 2, 3)] == [3, 0, 1]
    form._distances = [1, 3]
    assert [value_of(form.member_of(2, Const(number, 2))) for number in (1, 2)] == [3, 1]
    for own in form.addresses:
        for source in form.addresses:
            found = value_of(form.is_member(Const(source, form.address_width), own))
            assert found == (source ^ own in (1, 3))


def test_a_head_names_its_source_where_packets_do_not_carry_it():
    network = Network.from_word("hypercube:n=3,router=deflection,data_width=16,source=no")
    form = PacketFormat(network)
    assert form.source_width == 3
    assert PacketFormat(Network(Hypercube(n=3))).source_width == 0
    beats = {}
    for source in (0, 5):
        head = form.head(
            destination=Const(6, 3),
            copy=Const(0, 0),
            sequence=Const(9, form.sequence_width),
            source=Const(source, 3),
            last=Const(1, 1),
        )
        assert len(head) == 16
        beats[source] = value_of(head)
        beat = data.View(form.packet_out, Const(beats[source] | 1 << 16, 17))
        assert value_of(form.source_of(beat)) == source
        assert value_of(form.destination_of(beat.data)) == 6
        assert value_of(form.sequence_of(beat.data)) == 9
    assert (beats[0] ^ beats[5]) & 0b111000 == 0b101000
