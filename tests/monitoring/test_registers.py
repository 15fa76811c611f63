"""The register map: every register has an address of its own."""

from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork.emit import manifest
from knotwork.monitoring.registers import network_registers, register_map


@given(
    channels=st.integers(1, 3000),
    nodes=st.integers(1, 500),
    turns=st.integers(1, 9000),
    counters=st.booleans(),
    watchdog=st.booleans(),
)
def test_no_address_is_given_twice(channels, nodes, turns, **parts):
    found = register_map(channels=channels, nodes=nodes, turns=turns, **parts)
    places = list(found.registers.values())
    for array in found.arrays.values():
        places += range(array.offset, array.offset + 4 * array.count, 4)
    assert len(places) == len(set(places))
    assert all(place % 4 == 0 for place in places)
    assert max(places) < 1 << found.address_width
    names = ["stuck", "waits", "wants"] * parts["watchdog"]
    assert list(found.arrays) == names + ["flits", "stalls", "refused"] * parts["counters"]
    counts = {name: array.count for name, array in found.arrays.items()}
    if parts["watchdog"]:
        assert counts["wants"] * 32 - 31 <= turns <= counts["wants"] * 32
    if parts["counters"]:
        assert (counts["flits"], counts["refused"]) == (channels, nodes)


def test_the_manifest_has_the_map():
    network = Network.from_word("mesh:x=2,y=2,counters=yes,watchdog=9")
    told = manifest(network)["monitor"]
    found = network_registers(network)
    assert told["bus"] == "s_axil_monitor"
    assert {one["name"]: one["offset"] for one in told["registers"]} == found.registers
    assert {one["name"]: one["offset"] for one in told["arrays"]} == {
        name: array.offset for name, array in found.arrays.items()
    }
    assert [one["index"] for one in told["channel_list"]] == list(range(16))
    assert sum(len(one["turns"]) for one in told["channel_list"]) == 24
    assert "monitor" not in manifest(Network.from_word("mesh:x=2,y=2"))
    only = manifest(Network.from_word("mesh:x=2,y=2,watchdog=9"))["monitor"]
    assert [one["name"] for one in only["arrays"]] == ["stuck", "waits", "wants"]
