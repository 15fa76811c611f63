"""Address maps, and what is wrong in them."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.system import BusParameters, NodeParameters, Region
from knotwork.system.node import resolved_node
from knotwork.system.region import checked_map

BUS = BusParameters(address_width=32)
SIDES = {0: "initiator", 1: "target", 2: "target"}


def nodes_of(sides):
    keys = {
        number: NodeParameters(bus="axi4", side=side) if side else NodeParameters()
        for number, side in ((number, sides.get(number)) for number in range(4))
    }
    return [resolved_node(number, keys[number], NodeParameters(), 32) for number in range(4)]


def region(base, size=0x1000, node=1):
    return Region(base=base, size=size, node=node)


def test_regions_are_sorted_by_base():
    given = {"b": region(0x2000), "a": region(0x10000, 0x10000, 2), "c": region(0)}
    assert list(checked_map(given, BUS, nodes_of(SIDES))) == ["c", "b", "a"]


def test_a_region_may_end_where_addresses_end():
    top = Region(base=0xFFFFF000, size=0x1000, node=1)
    assert checked_map({"top": top, "low": region(0, node=2)}, BUS, nodes_of(SIDES))
    assert str(top) == "0xfffff000..0xffffffff"


@pytest.mark.parametrize(
    ("text", "value"),
    [("4096", 4096), ("0x1000", 4096), ("4K", 4096), ("2m", 1 << 21), ("1G", 1 << 30)],
)
def test_numbers_are_written_as_people_do(text, value):
    assert Region.from_texts({"base": "0", "size": text, "node": "1"}).size == value


@pytest.mark.parametrize("text", ["", "K", "0x", "1.5K", "ten", "-4K"])
def test_other_texts_are_refused(text):
    with pytest.raises(ConfigurationError, match=r"^map: size must be an integer in 4096"):
        Region.from_texts({"base": "0", "size": text, "node": "1"})
