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
