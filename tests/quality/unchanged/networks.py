"""Networks that stand for all: every family, routing, router class and option of the hardware."""

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
NETWORKS = tuple(words for line in _LINES if (words := line.partition("#")[0].strip()))
"""Words of a command line each."""
