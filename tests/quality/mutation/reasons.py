"""Why mutants survive `make mutate`: what no program here finds out, told by hand.

A fault's name is Yosys's, so that a change of the router's gates leaves its reason behind: the
report then has a survivor without one, and `tests/sim/mutation/test_reasons.py` names the old one.
"""

_IN_PETERSEN = (
    "a bit of the destination's place in its Petersen graph, which has been reached: on the rings,"
    " and at the node, nobody looks at it, nor at what stands there of a broadcast"
)
_ROUND_ROBIN = (
    "which branch of a broadcast is next: a fault, which the tests of `next_after` and"
    " `BranchReader` see; with two flits a buffer, branches elsewhere are all at the same one, so"
    " that in traffic it takes a rare order of branches to cost a clock"
)
_BEHIND_TWICE = (
    "in the third period every packet goes round twice, so it passes this place twice from behind:"
    " the bit is turned over and back, and no router looks at it meanwhile"
)

REASONS = {
    "wk": {
        "inv at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$4347 (core.$167[11])": (
            "a bit of the destination that leaves by port digit1 only, where it is 1 anyway, being"
            " digit 1 of the cluster behind; of a broadcast it is above the label, and the other"
            " channel's flits go to the node"
        ),
        "const1 at A[0] of $auto$simplemap.cc:298:simplemap_mux$3723"
        " ($auto$simplemap.cc:298:simplemap_mux$3723)": (
            "makes a unicast a packet of one branch for the reader: the branch's position moves"
            " with the flit shown, so it never is elsewhere, and what it waits for ends with the"
            " packet"
        ),
    },
    "tcpg": {
        "const0 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$23634 (core.$949[12])": (
            _IN_PETERSEN
        ),
        "const1 at RD_DATA[10] of core.input_Pplus_vc1.memory"
        " (core.input_Pplus_vc1.route.destination[1])": _IN_PETERSEN,
        "const1 at RD_DATA[11] of core.input_R_vc0.memory (core.input_R_vc0.o__payload[11])": (
            _IN_PETERSEN
        ),
        "const1 at B[0] of $auto$simplemap.cc:106:simplemap_bitop$22742 (core.$1385[0])": (
            f"{_IN_PETERSEN}; its label there, hops to live, is not looked at in a ring of two"
        ),
        "const0 at Y[0] of $auto$simplemap.cc:157:simplemap_reduce$13888"
        " (core.input_S_vc1.reader.$45[0])": _ROUND_ROBIN,
        "const1 at Y[0] of $auto$simplemap.cc:157:simplemap_reduce$19699"
        " (core.input_Pminus_vc1.reader.$36[0])": _ROUND_ROBIN,
        "const0 at B[0] of $auto$simplemap.cc:157:simplemap_reduce$11201"
        " (core.input_local_vc0.reader.$80[0])": _ROUND_ROBIN,
        "const0 at B[0] of $auto$simplemap.cc:157:simplemap_reduce$14165"
        " (core.input_S_vc0.reader.$36[0])": _ROUND_ROBIN,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$10301"
        " (core.interface.injector.$63[1])": (
            "the count of beats goes 0, 3, 2 instead of 0, 1, 2, and is only compared with 0 and 2"
        ),
        "const1 at B[0] of $auto$simplemap.cc:106:simplemap_bitop$17214"
        " ($auto$simplemap.cc:106:simplemap_bitop$17214)": (
            "lets a unicast's tail end a broadcast: none is under way, so all that this resets is"
            " as it is after a reset"
        ),
    },
    "ccc_lc2": {
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$371 (B_i_message[1])": _BEHIND_TWICE,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$383 (B_i_message[13])": _BEHIND_TWICE,
    },
    "lcan": {
        "const0 at B[0] of $auto$simplemap.cc:157:simplemap_reduce$626 (core.$427[0])": (
            "lets an upper's wire carry in the clock after a release what came in the clock of it:"
            " nothing comes then, all that goes up has left this level clocks before"
        ),
        "const1 at B[0] of $auto$simplemap.cc:157:simplemap_reduce$1195"
        " ($auto$simplemap.cc:157:simplemap_reduce$1195)": (
            "gives a packet that goes up alone the other upper: by either it meets no other, in a"
            " top switch of two downers or on its way down from there"
        ),
    },
}
"""By target, by fault."""
