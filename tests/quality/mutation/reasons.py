"""Why mutants survive `make mutate`: what no program here finds out, told by hand.

A fault's name is Yosys's, so that a change of the router's gates leaves its reason behind: the
report then has a survivor without one, and `tests/quality/mutation/test_reasons.py` names the old.
"""

from collections.abc import Iterable, Mapping

from .mutants import Mutant

REASONS: dict[str, dict[str, str]] = {}
"""By target, by fault; none since the Verilog has had names of its own."""


def stale_reasons(reasons: Mapping[str, str], mutants: Iterable[Mutant]) -> set[str]:
    """Faults with a reason that are not made any more, or whose reason is empty."""
    made = {str(mutant) for mutant in mutants}
    return {fault for fault, reason in reasons.items() if fault not in made or not reason}
