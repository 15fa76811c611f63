"""Keys of a whole system."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.routing.network_keys import all_network_keys
from knotwork.system import SystemParameters
from knotwork.topology import TOPOLOGIES


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"user_width": "257"}, "system: user_width must be an integer in 0..256, not '257'"),
        ({"keep": "maybe"}, "system: keep must be one of yes, no, not 'maybe'"),
        ({"reset": "hi"}, "system: reset must be one of high, low, not 'hi'"),
        (
            {"reset_style": "sync"},
            "system: reset_style must be one of synchronous, asynchronous, not 'sync'",
        ),
    ],
)
def test_values_out_of_range_are_refused(keys, line):
    with pytest.raises(ConfigurationError) as refused:
        SystemParameters.from_texts(keys)
    assert str(refused.value).split(";")[0] == line.replace("'257'", "257")


def test_no_network_has_a_key_of_the_same_name():
    for name in TOPOLOGIES:
        assert not set(SystemParameters.keys()) & set(all_network_keys(name))
