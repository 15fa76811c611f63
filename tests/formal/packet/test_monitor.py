"""Monitor of a network: its proofs, and faults that these find."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

NET = "hypercube n=1 data_width=8 counters=yes watchdog=16"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (NET, ["registers", "counters", "watchdog"]),
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


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A watchdog that is silent; one that looks at the wrong end of a bound; a channel that it
        # does not hear; a picture that changes; a bound that is not set.
        ("alarm <= 1'b1;", "alarm <= 1'b0;", "watchdog"),
        slow("still = since & waits", "still = waits", "watchdog"),
        slow(".waits(waits),", ".waits(waits & 6'b111110),", "watchdog"),
        slow("ends & |still & ~alarm", "ends & |still", "watchdog"),
        slow("wanted <= wants;", "wanted <= wanted;", "watchdog"),
        slow("if (set_bound) bound <= access_data;", "", "registers"),
        # An event that is not counted; one that happens in the cycle of its visit; counts that
        # `clear` keeps.
        ("few_3 <= clear ? 4'b0000 : kept_3 + {3'b000, event_[3]};", "", "counters"),
        slow("(few_5 & {4{here_5}})", "(kept_5 & {4{here_5}})", "counters"),
        slow("if (clear) begin fresh <= 1'b1; end else", "", "counters"),
        # An answer of OKAY where there is no register; a read that never ends.
        slow("bus_r_payload[33:32] <= readable ? 2'b00 : 2'b10;", "", "registers"),
        slow("bus_r_valid <= 1'b1;", "bus_r_valid <= 1'b0;", "registers"),
    ],
)
def test_a_fault_of_a_monitor_is_found(before, after, name):
    assert sees(NET, "monitor", before, after, name)
