"""Proofs of what a packet network has beside its routers: long links, stores, the monitor."""

import pytest
from helpers.cases import slow
from helpers.faults import changing
from helpers.proven import largest_router, outcomes, router_outcomes, sees
from knotwork import Network
from knotwork.formal import FAILED, PROVEN, parts, prove_part
from knotwork.formal.packet.stores import store_parts


@pytest.fixture
def net(tmp_path):
    """Words of a network with links of 2 and 4 cycles."""
    (tmp_path / "a.edges").write_text("0 1 4\n1 2 2\n2 0\n")
    return f"graph file={tmp_path}/a.edges data_width=8 buffer_depth=4"


@pytest.mark.parametrize("latency", [slow(2), 4])
def test_what_is_along_links_is_proven(net, latency):
    found = outcomes(net, f"link{latency}")
    assert found == {"delay": (PROVEN, ""), "places": (PROVEN, "")}


@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A stage is left out.
        slow("valid_2 <= valid_1;", "valid_2 <= valid_0;", "delay"),
        slow("flit_1 <= flit_0;", "flit_1 <= i_flit;", "delay"),
        # A credit is returned though none came.
        ("credit_0 <= o_credit;", "credit_0 <= o_credit | o_valid;", "places"),
        # A flit comes twice.
        slow("assign o_valid = valid_2;", "assign o_valid = valid_2 | valid_1;", "places"),
    ],
)
def test_a_fault_of_a_link_is_found(net, before, after, name):
    assert sees(net, "link4", before, after, name)


def test_there_is_one_part_for_each_latency(net):
    network = Network.from_words(net.split())
    assert [part.name for part in parts(network)] == [f"{network.name}_link{n}" for n in (2, 4)]
    assert parts(Network.from_word("mesh:x=2,y=2,pipeline=2")) == []


@pytest.mark.slow
def test_routers_beside_long_links_are_proven_too(net):
    """Their buffers hold 6 and 10 flits: what they count is another number at each port."""
    found = router_outcomes(net)
    assert len(found) > 15
    assert set(found.values()) == {(PROVEN, "")}


NET = "hypercube n=2 multicast=yes data_width=8 buffer_depth=4 pipeline=2"

DEEPER = "moebius n=2 multicast=yes data_width=8 buffer_depth=8 pipeline=2"
"""A packet that fits has room for more addresses than there are nodes."""
LARGER = NET.replace("n=2", "n=3")


def store_outcomes(words, store, change=lambda text: text):
    """Result and reason of each property of a store: 0 of a node's own packets, 1 of a class."""
    network, _, verilog = largest_router(words)
    found = prove_part(network, store_parts(network)[store], change(verilog))
    return {one.name: (one.result, one.reason) for one in found}


@pytest.mark.parametrize(
    ("words", "store"),
    [
        (NET, 0),
        slow(DEEPER, 0),
        slow(DEEPER, 1),
        slow(NET, 1),
        slow(NET.replace(" pipeline=2", ""), 1),
        slow(f"{NET} max_packet=3", 0),
        slow(f"{LARGER} max_packet=8", 0),
        slow(f"{LARGER} max_packet=8", 1),
    ],
)
def test_a_store_is_proven(words, store):
    assert store_outcomes(words, store) == dict.fromkeys(["reset", "copies", "words"], (PROVEN, ""))


def test_stores_of_all_classes_are_one_module():
    """Multicasts of three hops arrive in classes 1 and 2."""
    network, kind, verilog = largest_router(f"{LARGER} max_packet=8")
    assert network.routing.classes == 3
    assert [part.name for part in store_parts(network)] == [
        f"{kind.name}_store_source",
        f"{kind.name}_store",
    ]
    assert verilog.count(f"  {kind.name}_store store_") == 2


@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # A copy goes to the first node of the chain, not to the one in the middle.
        ("2'b01 ? nodes_left[2:1] :", "2'b01 ? 2'b00 :", "copies"),
        # The half of the chain that was sent is kept, too.
        slow("nodes_left <= {1'b0, nodes_left[2:1]};", "nodes_left <= nodes_left;", "copies"),
        # A copy's packets go in a class too high, where stores can wait for each other.
        slow("vc_class <= rest[0] & ~rest[1];", "vc_class <= 1'b1;", "copies"),
        # The node gets the chain, too.
        slow(
            "position <= chain_length; phase <= 2'b11;",
            "position <= 3'b000; phase <= 2'b11;",
            "copies",
        ),
        # A flit is written beside its place.
        slow("memory_write_address = flits[1:0];", "memory_write_address = ~flits[1:0];", "words"),
    ],
)
def test_a_fault_of_a_store_is_found(before, after, breaks):
    change = changing(before, after, "router.node_interface.store_1")
    result, reason = store_outcomes(NET, 1, change)[breaks]
    assert (result, reason.startswith("counterexample: stores.py:")) == (FAILED, True)


MONITORED = "hypercube n=1 data_width=8 counters=yes watchdog=16"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (MONITORED, ["registers", "counters", "watchdog"]),
        ("mesh x=2 y=1 data_width=8 watchdog=4294967295", ["registers", "watchdog"]),
        slow("wk w=3 levels=1 data_width=8 counters=yes", ["registers", "counters"]),
        slow(
            "mesh x=3 y=2 data_width=8 counters=yes watchdog=1",
            [
                "registers",
                "counters",
                "watchdog",
            ],
        ),
    ],
)
def test_a_monitor_is_proven(words, names):
    assert outcomes(words, "monitor") == dict.fromkeys(names, (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A watchdog that is silent; one that looks at the wrong end of a bound; a channel that it
        # does not hear; a picture that changes; a bound that is not set.
        ("alarm <= 1'b1;", "alarm <= 1'b0;", "watchdog"),
        slow("still = waited & waits", "still = waits", "watchdog"),
        slow(".waits(waits),", ".waits(waits & 6'b111110),", "watchdog"),
        slow("ends & |still & ~alarm", "ends & |still", "watchdog"),
        slow("wanted <= wants;", "wanted <= wanted;", "watchdog"),
        slow("if (set_bound) bound <= access_data;", "", "registers"),
        # An event that is not counted; one that happens in the cycle of its visit; counts that
        # `clear` keeps.
        ("recent_3 <= clear ? 4'b0000 : kept_3 + {3'b000, event_[3]};", "", "counters"),
        slow("(recent_5 & {4{here_5}})", "(kept_5 & {4{here_5}})", "counters"),
        slow("if (clear) begin clearing <= 1'b1; end else", "", "counters"),
        # An answer of OKAY where there is no register; a read that never ends.
        slow("bus_r_payload[33:32] <= readable ? 2'b00 : 2'b10;", "", "registers"),
        slow("bus_r_valid <= 1'b1;", "bus_r_valid <= 1'b0;", "registers"),
    ],
)
def test_a_fault_of_a_monitor_is_found(before, after, name):
    assert sees(MONITORED, "monitor", before, after, name)
