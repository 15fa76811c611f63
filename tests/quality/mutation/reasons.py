"""Why mutants survive `make mutate`: what no program here finds out, told by hand.

A fault's name is Yosys's, so that a change of the router's gates leaves its reason behind: the
report then has a survivor without one, and `tests/sim/mutation/test_reasons.py` names the old one.
"""

REASONS: dict[str, dict[str, str]] = {}
"""By target, by fault; none since the Verilog has had names of its own."""
