"""Why mutants survive `make mutate`, told by hand in ``reasons.toml``."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from .mutants import Mutant


def _named(fault: str) -> str:
    """Name of a fault; that at a cell's pin which is on no named wire ends in the cell."""
    return fault if fault.endswith(")") else f"{fault} ({fault.rpartition(' ')[2]})"


_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
REASONS: dict[str, dict[str, str]] = {
    target: {_named(fault): one["why"] for one in told for fault in one["faults"]}
    for target, told in _TOLD.items()
}
"""By target, by fault."""


def stale_reasons(reasons: Mapping[str, str], mutants: Iterable[Mutant]) -> set[str]:
    """Faults with a reason that are not made any more, or whose reason is empty."""
    made = {str(mutant) for mutant in mutants}
    return {fault for fault, reason in reasons.items() if fault not in made or not reason}
