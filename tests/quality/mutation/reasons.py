"""Why mutants survive `make mutate`: what no program here finds out, told by hand.

A fault's name is Yosys's, so that a change of the router's gates leaves its reason behind: the
report then has a survivor without one, and `tests/quality/mutation/test_reasons.py` names the old.
"""

from collections.abc import Iterable, Mapping

from .mutants import Mutant, at_cell
from .reasons_of_credits import OF_CREDITS

_BEHIND_TWICE = (
    "at place 0 packets come from behind in the third period only, and each of them twice: the bit"
    " is turned over and back, and no router looks at it meanwhile"
)

_LOWER_ENTRY = (
    "changes the lower of the two entries that a copy takes on: 011 pushes another before it reads"
    " one, so the lower falls out, and 111 is a corner, where no one reads them"
)
_UNPAIRED = (
    "place 0 would look ahead in the steps of the second period in which it has no partner too: the"
    " step before has just put the lower destination there, so it takes nothing"
)
_FILLED_WHILE_RUNNING = (
    "the routers of place 0 report that they are filled while they run: those of the other places,"
    " which run in the same cycles, do not, and the controller waits for all"
)
_NOT_ITS_DESTINATION = (
    "gives the interface a header whose destination is wrong: of a header that comes, the interface"
    " reads the source alone"
)
_KEPT = (
    "what follows a header, and its acknowledge, use the other copy too: no header closed a circuit"
    " there, so nothing gets through and nothing comes back"
)

_LABEL_FOR_A_CORNER = (
    "copies of class 2 come over the link of level 1 to 110 alone, which gives them to a corner: no"
    " one reads their label any more"
)
_ABOVE_THE_ADDRESS = (
    "changes the highest bit of a packet to one node, where a label is wider than an address: no"
    " router reads it"
)
_HELD_BY_A_SOURCE = (
    "a network cycle might end in its cycles 1 to 3 but for this bit: in each of them a source"
    " still waits for its acknowledge"
)
_SAMPLES_AGAIN = (
    "sources whose nodes meet on level 0 sample in cycle 7 again, when none of them waits any more"
)
_COUNTS_ON = (
    "the count stops a few cycles later than at 8, where no source samples and the network cycle"
    " may end as well"
)
_COUNT_OF_NONE = (
    "the count is 0 while no network cycle runs, so it is not the 3 or 7 beside this bit"
)

_NEVER_THAT_STATE = (
    "the random state counts as the one after a reset, 0, where this bit alone is set too: that is"
    " one of 2^32 - 1 states, which the run does not reach"
)
_ALREADY_IDLE = (
    "a flit may go up as the network cycle ends: the last one has left the switch before, so the"
    " kind is that of an idle link anyway"
)

_HEADER_OF_THE_DROPPED = (
    "the beats of a packet that is dropped write into the header of the store being filled, which"
    " is not offered: the first beat of the next packet writes it anew"
)

REASONS: dict[str, dict[str, str]] = {
    **OF_CREDITS,
    "ccc_lc2": {
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$415 (B_i_message[2])": _BEHIND_TWICE,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$428 (B_i_message[15])": _BEHIND_TWICE,
    },
    "wk_stack": {
        "inv at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$3415"
        " (input_digit0_vc1.branch.popped[0])": _LOWER_ENTRY,
        "const1 at B[0] of $auto$simplemap.cc:298:simplemap_mux$3492"
        " (input_digit0_vc1.branch.labels_1[3])": _LOWER_ENTRY,
        "const0 at B[0] of $auto$simplemap.cc:298:simplemap_mux$3634"
        " (input_digit0_vc2.branch.labels_1[3])": _LABEL_FOR_A_CORNER,
        at_cell("inv at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$3564"): _LABEL_FOR_A_CORNER,
        at_cell("inv at Y[0]", "$auto$simplemap.cc:106:simplemap_bitop$4703"): _LABEL_FOR_A_CORNER,
        at_cell("inv at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$3047"): (
            "puts the highest bit of that label into other packets to the same corner, which reads"
            " no label, and of an address only the bits below"
        ),
        "inv at Q[0] of $auto$ff.cc:337:slice$2415"
        " (input_digit1_vc1_o_payload[12])": _ABOVE_THE_ADDRESS,
        "const0 at A[0] of $auto$simplemap.cc:106:simplemap_bitop$2863"
        " (input_digit1_vc1_o_payload[10])": (
            "clears the digit of level 1 of unicasts that leave over the link of level 1: of the"
            " two routers of the kind, 010 alone gets any by that way, all of them to 00x"
        ),
        at_cell("inv at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$4115"): (
            "arbitrates between copies of class 2 over the link of level 1, which 110 gets, and"
            " from the neighbour, which 010 gets"
        ),
        at_cell("inv at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$4096"): (
            "arbitrates between copies of class 2 over the link of level 1 and unicasts of class 1"
            " from the neighbour: of the two routers of the kind, 010 never gets the first, as they"
            " come from 100 by 011, and 110 never the second, as its neighbour is a corner"
        ),
    },
    "ccc_lc2_shift": {
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$479 (B_i_message[12])": _BEHIND_TWICE,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$474 (B_i_message[7])": _BEHIND_TWICE,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$468 (B_i_message[1])": _BEHIND_TWICE,
        at_cell("const1 at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$462"): (
            "would raise the flag of an exchange in steps without one too: neither end of the link"
            " asks then, as both are of place 0"
        ),
        at_cell("const1 at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$351"): (
            "a step would end without a batch too, but the controller tells a step's last cycle"
            " only while a batch runs, and then every router is full"
        ),
        at_cell("const0 at R[0]", "$auto$ff.cc:337:slice$330"): (
            "a reset leaves a bit of the header as it was: the first beat of the next packet writes"
            " it anew"
        ),
    },
    "ccc_lc2_distributed": {
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$541 (B_i_message[12])": _BEHIND_TWICE,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$535 (B_i_message[6])": _BEHIND_TWICE,
        at_cell("const0 at A[0]", "$auto$simplemap.cc:46:simplemap_not$514"): _FILLED_WHILE_RUNNING,
        at_cell("const1 at Y[0]", "$auto$simplemap.cc:46:simplemap_not$514"): _FILLED_WHILE_RUNNING,
        at_cell(
            "const1 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$445"
        ): _FILLED_WHILE_RUNNING,
        at_cell("const1 at Y[0]", "$auto$opt_expr.cc:607:replace_const_cells$925"): _UNPAIRED,
        at_cell("const1 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$635"): _UNPAIRED,
    },
    "lcan": {
        "const1 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$788 (up_request_0[0])": (
            "gives a packet that goes up alone the other upper: by either it meets no other packet,"
            " in a top switch of two downers or on its way down from there"
        ),
    },
    "banyan": {
        at_cell("const0 at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$959"): _ALREADY_IDLE,
        at_cell(
            "const0 at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$1073"
        ): _NEVER_THAT_STATE,
        at_cell(
            "const0 at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$1077"
        ): _NEVER_THAT_STATE,
    },
    "lcan_interface": {
        at_cell(
            "const1 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$633"
        ): _HEADER_OF_THE_DROPPED,
        at_cell(
            "const0 at A[0]", "$auto$simplemap.cc:46:simplemap_not$632"
        ): _HEADER_OF_THE_DROPPED,
        "const0 at B[0] of $auto$simplemap.cc:157:simplemap_reduce$521 (control[3])": (
            "the acknowledge stays up after the release: no crosspoint leads to it then, and each"
            " header that comes sets it anew before its source samples it"
        ),
    },
    "lcan_controller": {
        at_cell("const1 at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$164"): (
            "releases all the time between network cycles, when no circuit is closed and no header"
            " is on a link"
        ),
        at_cell("const0 at R[0]", "$auto$ff.cc:337:slice$122"): (
            "a network cycle that a reset interrupts goes on after it, without active interfaces:"
            " it ends in the second cycle, and the first packet's can begin in the third"
        ),
        at_cell("const0 at Y[0]", "$auto$simplemap.cc:157:simplemap_reduce$188"): _HELD_BY_A_SOURCE,
        at_cell("const0 at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$170"): _HELD_BY_A_SOURCE,
        at_cell("const0 at B[0]", "$auto$simplemap.cc:157:simplemap_reduce$188"): _HELD_BY_A_SOURCE,
        at_cell("const0 at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$188"): _HELD_BY_A_SOURCE,
        at_cell("const0 at B[0]", "$auto$simplemap.cc:157:simplemap_reduce$144"): _SAMPLES_AGAIN,
        at_cell("inv at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$189"): _COUNTS_ON,
        at_cell("inv at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$191"): _COUNTS_ON,
        at_cell("const0 at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$168"): (
            f"{_SAMPLES_AGAIN}, and the network cycle cannot end in cycle 4, which no circuit does"
        ),
        at_cell("const1 at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$147"): _COUNT_OF_NONE,
        at_cell("const1 at A[0]", "$auto$simplemap.cc:106:simplemap_bitop$163"): _COUNT_OF_NONE,
    },
    "lcan_chooser": {
        at_cell("const1 at S[0]", "$auto$simplemap.cc:298:simplemap_mux$262"): _NOT_ITS_DESTINATION,
        at_cell("const1 at A[0]", "$auto$simplemap.cc:298:simplemap_mux$262"): _NOT_ITS_DESTINATION,
        at_cell("const1 at A[0]", "$auto$simplemap.cc:298:simplemap_mux$253"): (
            "lets the bit above a header through to the interface, which does not read it"
        ),
        at_cell("const1 at A[0]", "$auto$simplemap.cc:298:simplemap_mux$215"): (
            "lets the bit above a header through to a switch: the interface sends a 0 there"
        ),
        at_cell("const1 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$249"): (
            "lets flits in over a copy whose header was left out: that header got no acknowledge,"
            " so none come"
        ),
        "const1 at Q[0] of $auto$ff.cc:337:slice$134 (kept[0])": _KEPT,
        "const1 at Q[0] of $auto$ff.cc:337:slice$135 (kept[1])": _KEPT,
        at_cell("const0 at A[0]", "$auto$simplemap.cc:157:simplemap_reduce$145"): (
            "takes an idle link for a header: until the acknowledge the interface holds the data of"
            " the header there, for which the choice is the same"
        ),
    },
    "deflection": {
        at_cell("const0 at B[0]", "$auto$simplemap.cc:106:simplemap_bitop$548"): (
            "marks packets that came by the link of dimension 0 in the wrong turns: few packets are"
            " still under way so long after their phase; `marks` is then not proven for all time"
        ),
    },
    "ring_deflection": {
        at_cell("const0 at R[0]", "$auto$ff.cc:337:slice$210"): (
            "`refused` would rise after a reset in which the last beat of a bad packet is offered:"
            " AXI4-Stream keeps `tvalid` low in a reset"
        ),
    },
}
"""By target, by fault."""


def stale_reasons(reasons: Mapping[str, str], mutants: Iterable[Mutant]) -> set[str]:
    """Faults with a reason that are not made any more, or whose reason is empty."""
    made = {str(mutant) for mutant in mutants}
    return {fault for fault, reason in reasons.items() if fault not in made or not reason}
