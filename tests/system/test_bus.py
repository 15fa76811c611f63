import pytest
from knotwork.system import BusParameters


@pytest.mark.parametrize("width", [8, 32, 1024])
def test_a_beat_has_whole_bytes(width):
    assert BusParameters(data_width=width).data_bytes * 8 == width
