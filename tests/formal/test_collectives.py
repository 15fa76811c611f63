"""Components of trees of collectives are proven without a bound; faults in them are found."""

from functools import partial

import pytest
from helpers.operations import SaturatingAdd, operation_of
from helpers.proven import component_outcomes
from knotwork import Network
from knotwork.formal import FAILED, PROVEN, parts, unproven
from knotwork.formal.collectives import collective_parts
from knotwork.formal.collectives.buffers import buffer_proofs, skid_proofs
from knotwork.formal.collectives.merge import merge_proofs
from knotwork.formal.collectives.ports import receiver_proofs, sender_proofs
from knotwork.formal.collectives.spread import spread_proofs
from knotwork.formal.collectives.watchdog import watchdog_proofs
from knotwork.routing.collectives import MessageFormat, Operation

SMALL = MessageFormat(3, 6, (Operation("sum", 2), Operation("max", 3, signed=True)))
MASKS = MessageFormat(9, 7, (Operation("xor", 7),))
"""A mask has two beats; what is combined with zeros is itself."""
WIDER = MessageFormat(
    3, 8, (Operation("and", 8), Operation("min", 4, signed=True), Operation("or", 2))
)
"""There are places of no operation, and a header does not fill a beat."""
OWN = MessageFormat(3, 6, (Operation("sum", 2), operation_of(SaturatingAdd, 3)))
"""Flits are on their way for cycles."""

PROOFS = {
    "sender": partial(sender_proofs, SMALL),
    "receiver": partial(receiver_proofs, SMALL),
    "merge": partial(merge_proofs, SMALL),
    "spread": partial(spread_proofs, SMALL, branches=2),
    "buffer": partial(buffer_proofs, SMALL),
    "skid": partial(skid_proofs, SMALL),
    "sender_wider": partial(sender_proofs, WIDER),
    "receiver_masks": partial(receiver_proofs, MASKS),
    "merge_masks": partial(merge_proofs, MASKS),
    "merge_wider": partial(merge_proofs, WIDER),
    "merge_own": partial(merge_proofs, OWN),
    "spread_1way": partial(spread_proofs, SMALL, branches=1),
    "spread_masks": partial(spread_proofs, MASKS, branches=3),
    "watchdog": partial(watchdog_proofs, members=2, bound=3),
    "watchdog_1": partial(watchdog_proofs, members=1, bound=1),
    "watchdog_long": partial(watchdog_proofs, members=3, bound=1000),
}
SLOW = ("merge_masks", "merge_wider", "spread_masks")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in PROOFS],
)
def test_components_are_proven_without_a_bound(name):
    proofs = PROOFS[name]()
    expected = {one.name: (PROVEN, "") for one in proofs.properties}
    assert component_outcomes(proofs) == expected


FAULTS = [
    # A sender's header without the sender; a barrier that is not alone.
    ("sender", "2'b00 : shows == 2'b11 ? node :", "2'b00 : shows == 2'b11 ? 2'b00 :", "headers"),
    ("sender", "(shows == 2'b10) & ~i_payload_header_kind[0],", "1'b0,", "headers"),
    # A beat is lost behind the header; a barrier's header is sent again.
    ("sender", "is_beat ? o_ready : drops", "is_beat ? 1'b1 : drops", "beats"),
    ("sender", "offers <= ~o_payload_last;", "offers <= 1'b1;", "beats"),
    # A root that is no member is not refused.
    ("sender", "& ~value[i_payload_header_root]", "& 1'b0", "refusals"),
    # A header is taken back while it waits.
    ("sender", "else if (i_valid & o_ready)", "else if (i_valid)", "streams"),
    # Another node's part of a scatter; a mask that answers; a message that ends twice.
    ("receiver", "(part == previous)", "(part != previous)", "answers"),
    ("receiver", "is_mask ? came_last & named", "is_mask ? came_last", "answers"),
    ("receiver", "served <= served | is_mine;", "served <= served;", "answers"),
    # A mark that is forgotten, and a scatter of too many parts that is not marked.
    ("receiver", "(headed & (marked |", "(headed & (", "marks"),
    ("receiver", "scatters & is_final & came_part &", "1'b0 & came_part &", "marks"),
    ("receiver", "part <= {part[0],", "part <= {~part[0],", "answers"),
    # A beat changes while it waits; one is lost.
    ("receiver", "if (takes & ~headed) kept", "if (~headed) kept", "streams"),
    ("receiver", "i_ready = o_ready;", "i_ready = 1'b1;", "streams"),
    # A branch is not counted, or not waited for; a result overwrites the one before.
    ("merge", "~(select[1] | combines)", "~select[1]", "once"),
    ("merge", "(combines & i_0_valid & i_1_valid)", "(combines & i_0_valid)", "once"),
    ("merge", "accepts = ~o_valid | o_ready;", "accepts = 1'b1;", "once"),
    ("merge", "if (accepts & idle) operation <=", "if (accepts) operation <=", "once"),
    # A header of the second branch; a message of all begins without all.
    ("merge", "~(select[0] | combines | idle)", "~(select[0] | combines)", "headers"),
    (
        "merge",
        "starts = &({i_1_valid, i_0_valid} & ~{",
        "starts = |({i_1_valid, i_0_valid} & ~{",
        "headers",
    ),
    # Another message begins while one is passed; parts of a gather end the message.
    ("merge", "idle = ~|is_open;", "idle = ~&is_open;", "passing"),
    ("merge", "~(passes & is_open[1] & is_open[0]);", "2'b11;", "passing"),
    # The same branch is always first.
    ("merge", "turn <= {single[1]", "turn <= turn & {single[1]", "turns"),
    # A difference is not reported, reported again, or not marked.
    ("merge", "sees <= together & accepts", "sees <= 1'b0 & accepts", "reports"),
    ("merge", "accepts & ~(i_0_payload_fault | i_1_payload_fault)", "accepts", "reports"),
    ("merge", "marked <= (idle | combines) &", "marked <= idle &", "reports"),
    ("merge", "marked | |differs,", "marked,", "reports"),
    # The rest of a longer message is not taken, or nothing else is.
    ("merge", "(is_open & {2{drains}})", "(2'b00 & {2{drains}})", "drains"),
    # What is offered changes, or is taken back.
    ("merge", "if (accepts) o_valid <=", "o_valid <=", "streams"),
    # Nothing moves while what was made is taken.
    ("merge", "accepts = ~o_valid | o_ready;", "accepts = ~o_valid;", "progress"),
    # Nobody is waited for where only others wait.
    ("merge", "i_1_valid | awaited)", "i_1_valid)", "waits"),
    # On the way through an operation: one flit's data overtake another's, a flit is there twice,
    # a result is taken for another operation's, the way does not stop.
    ("merge_own", "data_2 <= data_1;", "data_2 <= data;", "once"),
    ("merge_own", "valid_1 <= valid;", "valid_1 <= valid | valid_1;", "once"),
    ("merge_own", "operation_1 <= operation;", "operation_1 <= ~operation;", "headers"),
    ("merge_own", "if (enable) begin", "begin", "streams"),
    # A branch gets a flit twice, or never; a mask that is not read; a root elsewhere.
    ("spread", "owed <= (owed & ~{o_1_ready, o_0_ready})", "owed <= owed", "copies"),
    ("spread", "accepts = &(~owed | {o_1_ready, o_0_ready});", "accepts = 1'b1;", "copies"),
    ("spread", "named = aimed |", "named = aimed &", "copies"),
    ("spread", "aimed | {2{masks}} : starts", "aimed | {2{masks}} : 2'b11", "copies"),
    # A member gets what its receiver does not want; a mask is none for the receivers.
    ("spread", "targets & delivers &", "targets &", "copies"),
    ("spread", "is_mask = headed & masks;", "is_mask = 1'b0;", "masks"),
    # A pause is not seen; a member is late too early, or never; what was late is forgotten, or
    # stays although the message came.
    ("watchdog", "still = waited & waits;", "still = waited;", "bounds"),
    ("watchdog", "waited <= still |", "waited <= waits |", "bounds"),
    ("watchdog", "elapsed == 2'b10", "elapsed == 2'b01", "bounds"),
    ("watchdog", "waited <= still | {2{ends}};", "waited <= still;", "bounds"),
    ("watchdog", "waits & (late | (still", "waits & ((still", "report"),
    ("watchdog", "late <= waits & (late |", "late <= (late |", "report"),
    # A flit is written over; a flit that is held changes.
    ("buffer", "i_ready = ~full", "i_ready = 1'b1", "queue"),
    ("skid", "i_ready = ~full;", "i_ready = 1'b1;", "queue"),
]


@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize(("component", "before", "after", "name"), FAULTS)
def test_a_fault_of_a_component_is_found(component, before, after, name):
    result, reason = component_outcomes(PROOFS[component](), before, after)[name]
    assert (result, reason.startswith("counterexample")) == (FAILED, True)


NET = "mesh:x=3,y=2,pipeline=1,collectives=yes,groups=all/0-2"


def test_parts_of_a_network_are_the_components_of_its_trees():
    network = Network.from_word(NET)
    found = [part.name.removeprefix(f"{network.name}_collective_") for part in parts(network)]
    assert found == [
        *("sender", "receiver", "skid", "buffer"),
        # Of all nodes: the centre's and three neighbours', one more behind, and ends.
        *("spread_4way", "merge", "spread_2way", "spread_1way"),
        "spread_3way",  # of the row
    ]
    assert unproven(network) == []
    own = network.changed(operations=("sum", SaturatingAdd))
    assert [part.name.removeprefix(f"{own.name}_collective_") for part in parts(own)] == found
    assert unproven(own) == ["collectives: what user:saturating_add makes of two elements"]
    watched = network.changed(collective_watchdog=50)
    named = [part.name.removeprefix(f"{watched.name}_collective_") for part in parts(watched)]
    assert {*named} - {*found} == {"watchdog_6", "watchdog_3"}
    assert collective_parts(Network.from_word("mesh:x=3,y=2,pipeline=1")) == []
