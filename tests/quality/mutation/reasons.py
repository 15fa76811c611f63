"""Why mutants survive `make mutate`: what no program here finds out, told by hand.

A fault's name is Yosys's, so that a change of the router's gates leaves its reason behind: the
report then has a survivor without one, and `tests/quality/mutation/test_reasons.py` names the old.
"""

from collections.abc import Iterable, Mapping

from .mutants import Mutant

_BEHIND_TWICE = (
    "at place 0 packets come from behind in the third period only, and each of them twice: the bit"
    " is turned over and back, and no router looks at it meanwhile"
)

_HEADER_OF_THE_DROPPED = (
    "the beats of a packet that is dropped write into the header of the store being filled, which"
    " is not offered: the first beat of the next packet writes it anew"
)

REASONS: dict[str, dict[str, str]] = {
    "ccc_lc2": {
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$415 (B_i_message[2])": _BEHIND_TWICE,
        "inv at A[0] of $auto$simplemap.cc:298:simplemap_mux$428 (B_i_message[15])": _BEHIND_TWICE,
    },
    "lcan": {
        "const1 at Y[0] of $auto$simplemap.cc:106:simplemap_bitop$788 (up_request_0[0])": (
            "gives a packet that goes up alone the other upper: by either it meets no other packet,"
            " in a top switch of two downers or on its way down from there"
        ),
    },
    "lcan_interface": {
        "const1 at B[0] of $auto$simplemap.cc:106:simplemap_bitop$633"
        " ($auto$simplemap.cc:106:simplemap_bitop$633)": _HEADER_OF_THE_DROPPED,
        "const0 at A[0] of $auto$simplemap.cc:46:simplemap_not$632"
        " ($auto$simplemap.cc:46:simplemap_not$632)": _HEADER_OF_THE_DROPPED,
        "const0 at B[0] of $auto$simplemap.cc:157:simplemap_reduce$521 (control[3])": (
            "the acknowledge stays up after the release: no crosspoint leads to it then, and each"
            " header that comes sets it anew before its source samples it"
        ),
    },
    "lcan_controller": {
        "const1 at A[0] of $auto$simplemap.cc:106:simplemap_bitop$164"
        " ($auto$simplemap.cc:106:simplemap_bitop$164)": (
            "releases all the time between network cycles, when no circuit is closed and no header"
            " is on a link"
        ),
        "const0 at R[0] of $auto$ff.cc:337:slice$122 ($auto$ff.cc:337:slice$122)": (
            "a network cycle that a reset interrupts goes on after it, without active interfaces:"
            " it ends in the second cycle, and the first packet's can begin in the third"
        ),
        "const0 at Y[0] of $auto$simplemap.cc:157:simplemap_reduce$188"
        " ($auto$simplemap.cc:157:simplemap_reduce$188)": (
            "a network cycle might end in its cycles 1 to 3 but for this bit: in each of them a"
            " source still waits for its acknowledge"
        ),
        "const0 at A[0] of $auto$simplemap.cc:157:simplemap_reduce$168"
        " ($auto$simplemap.cc:157:simplemap_reduce$168)": (
            "sources whose nodes meet on level 0 sample in cycle 7 again, when none of them waits"
            " any more, and the network cycle cannot end in cycle 4, which no circuit does"
        ),
        "const1 at A[0] of $auto$simplemap.cc:106:simplemap_bitop$147"
        " ($auto$simplemap.cc:106:simplemap_bitop$147)": (
            "the count is 0 while no network cycle runs, so it is not the 3 beside this bit"
        ),
    },
    "lcan_chooser": {
        "const1 at S[0] of $auto$simplemap.cc:298:simplemap_mux$262"
        " ($auto$simplemap.cc:298:simplemap_mux$262)": (
            "gives the interface a header whose destination is wrong: of a header that comes, the"
            " interface reads the source alone"
        ),
        "const1 at A[0] of $auto$simplemap.cc:298:simplemap_mux$253"
        " ($auto$simplemap.cc:298:simplemap_mux$253)": (
            "lets the bit above a header through to the interface, which does not read it"
        ),
    },
    "deflection": {
        "inv at Q[0] of $auto$ff.cc:337:slice$492 (now[1])": (
            "the two lowest bits of the cycle count go 2, 1, 0, 3 instead of 0, 1, 2, 3: the bits"
            " above change in the same cycles, and only the highest four are compared"
        ),
    },
    "ring_deflection": {
        "const0 at R[0] of $auto$ff.cc:337:slice$210 ($auto$ff.cc:337:slice$210)": (
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
