from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Network


@given(n=st.integers(1, 12), data=st.data())
def test_ecube_corrects_the_differing_bits_from_the_highest(n, data):
    source, destination = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    path = [source]
    for i in reversed(range(n)):
        if (path[-1] ^ destination) >> i & 1:
            path.append(path[-1] ^ 1 << i)
    assert Network(Hypercube(n=n)).routing.path(source, destination) == path


def test_one_virtual_channel_is_free_of_deadlock():
    for n in range(1, 8):
        report = Network(Hypercube(n=n), routing="ecube", virtual_channels=1).deadlock_report
        assert (report.deadlock_free, report.channels) == (True, n * 2**n)
