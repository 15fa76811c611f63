"""Who may import whom: every import goes down, between rooms and inside each."""

import tomllib
from pathlib import Path

FLOORS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
"""Floors inside each package, from the ground up, as ``floors.toml`` beside this has them."""
