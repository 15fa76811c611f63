"""Table of `make coverage`: lines and branches that the tests ran, by package.

Functions that Numba compiles are not counted, for no Python runs in them that could be traced.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from knotwork.cli import output

FILE = Path("build", "coverage", "python.json")
FACTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def package_of(path: str) -> str:
    """Dotted package of a source below one of the roots: hdl/knotwork/topology/x.py."""
    return ".".join(Path(path).parent.parts[1:])


def rows_of(report: dict) -> list[tuple[str, str, str]]:
    """Package, lines and branches; the sum comes last."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(FACTS, 0))
    for path, counts in report["files"].items():
        for fact in FACTS:
            for name in (package_of(path), "all"):
                sums[name][fact] += counts["summary"][fact]
    ordered = sorted(name for name in sums if name != "all")
    return [
        (name, share(sums[name], *FACTS[1::-1]), share(sums[name], *FACTS[3:1:-1]))
        for name in [*ordered, "all"]
    ]


def share(counts: dict[str, int], part: str, total: str) -> str:
    """Share in per cent, and the total."""
    return (
        f"{100 * counts[part] / counts[total]:.1f} % of {counts[total]}" if counts[total] else "-"
    )


def main(file: Path = FILE) -> None:
    """Print the table."""
    output.table(
        "Python run by the tests",
        ("package", "lines", "branches"),
        rows_of(json.loads(file.read_text())),
    )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
