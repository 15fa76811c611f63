"""Words that Wishbone's manager asks for."""

from hypothesis import given
from hypothesis import strategies as st
from knotwork_sim.testbench.system.wishbone import transfers


@given(
    address=st.integers(0, 200),
    data=st.binary(min_size=1, max_size=40),
    size=st.sampled_from([1, 2, 4, 8]),
)
def test_each_byte_is_written_once_where_it_belongs(address, data, size):
    written = {}
    for word in transfers(address, data, size, is_write=True):
        assert word.is_write == 1
        assert word.lanes
        for lane in range(size):
            if word.lanes >> lane & 1:
                place = word.word * size + lane
                assert place not in written
                written[place] = word.data >> 8 * lane & 255
            else:
                assert word.data >> 8 * lane & 255 == 0
    assert written == dict(enumerate(data, address))


def test_a_read_asks_for_whole_words():
    (one,) = transfers(6, bytes(2), 4, is_write=False)
    assert one == (0, 1, 0b1100, 0)
