"""Networks, keys and routings that `networks` tells."""

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
    assert hardware == {
        "data_width": 32,
        "virtual_channels": None,
        "buffer_depth": 16,
        "pipeline": 1,
        "allow_deadlock": "no",
        "parity": "no",
        "tables": "fixed",
        "counters": "no",
        "watchdog": 0,
        "class_limits": None,
        "class_bursts": None,
        "class_weights": None,
        "arbitration": "strict",
    }
    keys = {
        routing: {key["key"]: (key["range"], key["required"], key["default"]) for key in keys}
        for routing, keys in moebius["routing_keys"].items()
    }
    assert keys == {
        "dfr": {
            "multicast": ("one of yes, no", False, "no"),
            "max_packet": ("an integer in 2..1024", False, None),
        },
        "spr": {"vc_scheme": ("one of ascents, escape", False, None)},
        "approx_spr": {},
        "set_spr": {},
        "rsa": {},
    }
    assert list(keys) == moebius["routings"]
    assert [key["key"] for key in known["hypercube"]["routing_keys"]["ecube"]] == list(keys["dfr"])
    status, out, _ = run("networks")
    assert status == 0
    (row,) = [line for line in out.splitlines() if "vc_scheme" in line]
    assert "one of ascents, escape" in row
    assert "(routing=spr)" in row
    for word in ("hypercube", "moebius", "twist", "ecube", "an integer in 8..512"):
        assert word in out


def test_routers_that_are_not_the_default_have_keys_of_their_own(answer, run):
    known = {entry["name"]: entry["router_keys"] for entry in answer("networks")["networks"]}
    keys = ["data_width", "source", "sequence_width"]
    assert [key["key"] for key in known["torus"]["deflection"]] == keys
    assert known["lcan"] == {}
    _, out, _ = run("networks")
    assert "Hardware keys with router=deflection" in out
    assert "router class" in out
