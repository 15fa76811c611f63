from knotwork import Moebius, Network
from knotwork.emit.ports import (
    eject_fields,
    eject_prefix,
    eject_widths,
    inject_fields,
    inject_prefix,
    inject_widths,
    link_fields,
    link_members,
    network_ports,
    refused_port,
)


def test_ports_are_named_by_their_nodes_number():
    network = Network(Moebius(n=4))
    assert inject_prefix(network, 12) == "s_axis_12"
    assert eject_prefix(network, 0) == "m_axis_0"
    assert refused_port(network, 7) == "refused_7"


def test_widths_follow_the_parameters():
    network = Network(Moebius(n=5), data_width=24, virtual_channels=2)
    assert inject_widths(network) == {"tdata": 24, "tlast": 1, "tdest": 5}
    assert eject_widths(network) == {"tdata": 24, "tlast": 1, "tid": 5}
    assert link_members(network) == {
        "valid": (2, True),
        "flit": (24 + 1 + 5 + 5, True),
        "credit": (2, False),
    }
    plain = Network(Moebius(n=5), data_width=24, pipeline=1)
    assert link_members(plain) == {
        "valid": (1, True),
        "ready": (1, False),
        "flit": (24 + 1 + 5 + 5, True),
    }


OUT_BITS = [("s_axis", "_tready"), ("refused", "")]


def test_a_networks_ports_are_those_of_its_nodes_and_its_table():
    into, out = network_ports(Network.from_word("hypercube:n=1,data_width=8"))
    beat = {"tvalid": 1, "tdata": 8, "tlast": 1}
    sent, received = beat | {"tdest": 1}, beat | {"tid": 1}
    assert into == {
        **{f"s_axis_{n}_{name}": bits for n in range(2) for name, bits in sent.items()},
        **{f"m_axis_{n}_tready": 1 for n in range(2)},
    }
    assert out == {
        **{f"m_axis_{n}_{name}": bits for n in range(2) for name, bits in received.items()},
        **{f"{port}_{n}{end}": 1 for n in range(2) for port, end in OUT_BITS},
    }
    into, out = network_ports(Network.from_word("hypercube:n=1,routing=lc1,data_width=8"))
    assert into["s_axis_config_tvalid"] == out["s_axis_config_tready"] == 1
    assert {"s_axis_config_tdata", "s_axis_config_tlast"} <= set(into)
    assert "status" in out


def test_a_flits_fields_are_told_from_its_lowest_bit():
    network = Network(Moebius(n=5), data_width=24, virtual_channels=2)
    assert link_fields(network) == {
        "valid": {},
        "flit": {"data": (0, 24), "last": (24, 1), "destination": (25, 5), "source": (30, 5)},
        "credit": {},
    }
    circuits = Network.from_word("lcan:d=2,u=2,levels=2")
    assert link_fields(circuits) == {"kind": {}, "data": {}, "back": {}}


def test_where_packets_escape_credits_say_which_channels_are_empty():
    network = Network(Moebius(n=5), routing="spr", vc_scheme="escape", data_width=24)
    assert link_members(network) == {
        "valid": (2, True),
        "flit": (24 + 1 + 5 + 5, True),
        "credit": (2, False),
    }


def test_where_nodes_multicast_a_beat_says_so_and_a_flit_has_a_mark():
    network = Network(Moebius(n=5), multicast="yes", data_width=24)
    assert inject_fields(network) == {
        "tdata": "data",
        "tlast": "last",
        "tdest": "destination",
        "tuser": "multicast",
    }
    assert eject_fields(network) == {"tdata": "data", "tlast": "last", "tid": "source"}
    assert inject_widths(network) == {"tdata": 24, "tlast": 1, "tdest": 5, "tuser": 1}
    assert eject_widths(network) == {"tdata": 24, "tlast": 1, "tid": 5}
    assert link_members(network)["flit"] == (24 + 1 + 5 + 5 + 1, True)
    plain = Network(Moebius(n=5))
    assert list(inject_fields(plain)) == ["tdata", "tlast", "tdest"]


def test_packets_that_are_deflected_have_what_their_keys_say():
    network = Network.from_word("torus:x=4,y=4,directions=one,router=deflection,data_width=28")
    assert eject_widths(network) == {"tdata": 28, "tlast": 1, "tid": 4}
    assert link_members(network) == {"valid": (1, True), "packet": (28 + 4 + 4, True)}
    bare = Network.from_word("torus:x=4,y=4,router=deflection,data_width=28,source=no")
    assert eject_widths(bare) == {"tdata": 28, "tlast": 1}
    assert link_members(bare)["packet"] == (28 + 4 + 2, True)  # the last bits: phase, and mark
    numbered = Network.from_word("mesh:x=4,y=4,router=deflection,sequence_width=6")
    assert eject_fields(numbered)["tuser"] == "sequence"
    assert eject_widths(numbered)["tuser"] == 6
