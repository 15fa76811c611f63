"""Verb networks: all of them, and all about one."""

import pytest
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.parameters.collectives import CollectiveParameters
from knotwork.routing import all_routings_of
from knotwork.routing.network_keys import all_network_keys
from knotwork.topology import TOPOLOGIES


def test_networks_lists_keys_ranges_and_routings(answer, run):
    known = {entry["name"]: entry for entry in answer("networks")["networks"]}
    assert list(known) == list(TOPOLOGIES)
    moebius = known["moebius"]
    assert [(key["key"], key["range"]) for key in moebius["keys"]] == [
        ("n", "an integer in 1..20"),
        ("twist", "an integer in 0..1"),
    ]
    assert [(key["required"], key["default"]) for key in moebius["keys"]] == [
        (True, None),
        (False, 0),
    ]
    assert moebius["default_routing"] == moebius["routings"][0] == "dfr"
    hardware = {key["key"]: key["default"] for key in moebius["hardware_keys"]}
    assert list(hardware) == list(ROUTER_PARAMETERS["packet"].keys())
    assert (hardware["data_width"], hardware["virtual_channels"], hardware["parity"]) == (
        *(32, None, "no"),
    )
    keys = {
        routing: {key["key"]: (key["range"], key["required"], key["default"]) for key in keys}
        for routing, keys in moebius["routing_keys"].items()
    }
    assert keys["dfr"] == {
        "multicast": ("one of yes, no", False, "no"),
        "max_packet": ("an integer in 2..1024", False, None),
    }
    assert keys["spr"] == {"vc_scheme": ("one of ascents, escape", False, None)}
    assert keys["approx_spr"] == {}
    assert list(keys) == moebius["routings"]
    assert [key["key"] for key in known["hypercube"]["routing_keys"]["ecube"]] == list(keys["dfr"])
    status, out, _ = run("networks")
    assert status == 0
    (row,) = [line for line in out.splitlines() if "vc_scheme" in line]
    assert "one of ascents, escape" in row
    assert "(routing=spr)" in row
    for word in ("hypercube", "moebius", "twist", "ecube", "an integer in 8..512"):
        assert word in out


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_a_network_is_told_in_full(name, answer, run):
    (page,) = answer(f"networks {name}")["networks"]
    (listed,) = [each for each in answer("networks")["networks"] if each["name"] == name]
    assert listed.items() <= page.items()
    assert [each["name"] for each in page["routing_entries"]] == list(all_routings_of(name))
    assert all(each["summary"] for each in page["routing_entries"])
    for router, keys in page["router_class_keys"].items():
        assert [key["key"] for key in keys] == list(ROUTER_PARAMETERS[router].keys())
    assert page["elsewhere"] == TOPOLOGIES[name].elsewhere
    assert page["references"], "a network says where it was published"
    status, out, _ = run(f"networks {name}")
    assert status == 0
    assert " ".join(out.split()).startswith(f"{name}: {page['summary']}.")
    cells = {line.split("│")[1].strip() for line in out.splitlines() if "│" in line}
    assert set(all_network_keys(name)) <= cells
    assert "Source: " in out


def test_networks_one_by_one_and_keys_of_routers(answer, run):
    assert [page["name"] for page in answer("networks wk mesh")["networks"]] == ["wk", "mesh"]
    _, out, _ = run("networks wk mesh")
    assert out.index("wk: ") < out.index("mesh: ")
    _, out, _ = run("networks moebius")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    assert ["twist", "an integer in 0..1", "0", "imaginary bit n: 0-MC or 1-MC"] in rows
    assert ["buffer_depth", "an integer in 2..1024", "16", "flits per VC buffer"] in rows
    assert "IEEE Trans. Computers" in " ".join(out.split())
    known = {entry["name"]: entry["router_keys"] for entry in answer("networks")["networks"]}
    keys = ["data_width", "ports", *CollectiveParameters.keys(), "source", "sequence_width"]
    assert [key["key"] for key in known["torus"]["deflection"]] == keys
    assert known["lcan"] == {}
    _, out, _ = run("networks")
    assert "Hardware keys with router=deflection" in out
    assert "router class" in out
    _, out, _ = run("networks")
    for words in ("flits of the longest broadcast", "by which the routers branch"):
        rows = [line for line in out.splitlines() if words in line]
        assert len(rows) == 2  # wk, tcpg
        assert not any("(routing=" in row for row in rows)
