"""Exceptions to the house's rules by their reasons, of ``exceptions.toml`` beside this."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _by_name(reasons: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: reason for reason, names in reasons.items() for name in names}


def judged(found: Mapping[Any, str], exceptions: Mapping[Any, str]) -> list[str]:
    """What breaks a rule without a reason, and reasons for what breaks none."""
    unexplained = [f"{name}: {rule}" for name, rule in found.items() if name not in exceptions]
    stale = [f"{name} is no exception any more" for name in exceptions if name not in found]
    return unexplained + stale


TESTED_OTHERWISE = _by_name(_TOLD["tested_otherwise"])
"""Modules that no test of their folder names, as patterns, and where they are tested."""
STANDS_TWICE = {
    tuple(pair.split(" and ")): reason for pair, reason in _by_name(_TOLD["stands_twice"]).items()
}
"""Pairs of modules that have ten lines in common."""
