import pytest
from knotwork.errors import ConfigurationError
from knotwork.system import BusParameters


@pytest.mark.parametrize("width", [8, 32, 1024])
def test_a_beat_has_whole_bytes(width):
    assert BusParameters(data_width=width).data_bytes * 8 == width


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("data_width", 48, "bus: data_width must be a power of two, not 48"),
        ("id_width", 9, "bus: id_width must be an integer in 1..8, not 9"),
        ("burst", 257, "bus: burst must be an integer in 1..256, not 257"),
        ("timeout", 15, "bus: timeout must be an integer in 16..65535, not 15"),
    ],
)
def test_what_cannot_be_is_refused(key, value, line):
    with pytest.raises(ConfigurationError) as refused:
        BusParameters(**{key: value})
    assert str(refused.value) == line
