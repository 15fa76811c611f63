"""Keys of a system as users write them: read again, they make the same system."""

import pytest
from knotwork.system import System


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("node.width=64 node.3.clock=own", {"node.width": 64, "node.3.clock": "own"}),
        ("keep=yes user_width=0", {"keep": "yes"}),
        ("bus.data_width=64", {}),  # nobody has a bus
        (
            "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target "
            "bus.data_width=64 bus.burst=256 map.ram.base=0x1000 map.ram.size=4K map.ram.node=1",
            {
                "node.0.bus": "axi4",
                "node.0.side": "initiator",
                "node.1.bus": "axi4",
                "node.1.side": "target",
                "bus.data_width": 64,
                "map.ram.base": 0x1000,
                "map.ram.size": 0x1000,
                "map.ram.node": 1,
            },
        ),
    ],
)
def test_only_what_is_not_the_default_is_told(words, told):
    system = System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert system.told == told
    again = System.from_words(
        ["mesh", "x=2", "y=2", *(f"{key}={value}" for key, value in told.items())]
    )
    assert (again.nodes, again.map, again.name) == (system.nodes, system.map, system.name)
