from knotwork import Moebius, Network
from knotwork.emit.names import (
    eject_prefix,
    eject_widths,
    inject_prefix,
    inject_widths,
    link_widths,
    refused_port,
)


def test_ports_are_named_by_their_nodes_number():
    assert inject_prefix(12) == "s_axis_12"
    assert eject_prefix(0) == "m_axis_0"
    assert refused_port(7) == "refused_7"


def test_widths_follow_the_parameters():
    network = Network(Moebius(n=5), data_width=24, virtual_channels=2)
    assert inject_widths(network) == {"tdata": 24, "tlast": 1, "tdest": 5}
    assert eject_widths(network) == {"tdata": 24, "tlast": 1, "tid": 5}
    assert link_widths(network) == {"valid": 2, "ready": 2, "flit": 24 + 1 + 5 + 5}
