"""`simulate --engine bitstream`: the self-test of a network, run from the bits of its bitstream."""

from dataclasses import dataclass

from knotwork.errors import ConfigurationError, ToolError
from knotwork.network import Network

_COUNTS = {
    "sent": "injected",
    "received": "delivered",
    "lost": "lost",
    "duplicated": "duplicated",
    "corrupted": "corrupted",
    "misrouted": "misrouted",
    "refused": "refused",
}
"""Words of the line, and what a simulation calls the same."""


@dataclass(frozen=True, kw_only=True)
class SelfTestResult:
    """What the self-test said of its first window.

    Members
    -------
    network, board : str
        Names.
    counts : dict
        Packets by their fate, as a simulation names them.
    passed : bool
        Its verdict.
    cycles : int
        Cycles from power-up to the end of its line.
    line : str
        The line.
    """

    network: str
    board: str
    counts: dict[str, int]
    passed: bool
    cycles: int
    line: str

    def as_json(self) -> dict[str, object]:
        """Fields that ``simulate --engine bitstream --json`` promises."""
        names = {"engine": "bitstream", "board": self.board, "network": self.network}
        return {**names, **self.counts, "cycles": self.cycles, "line": self.line}


def result_of(network: str, board: str, line: str, cycles: int) -> SelfTestResult:
    """Result in a line.

    Raises
    ------
    ToolError
        The line is not one of a self-test.
    """
    words = line.split()
    values = dict(word.split("=", 1) for word in words if "=" in word)
    texts = {name: values.get(word, "") for word, name in _COUNTS.items()}
    is_complete = all(value.isdecimal() for value in texts.values())
    if not is_complete or words[-1] not in ("PASS", "FAIL"):
        raise ToolError(f"{network}: the self-test must write a window's line, not {line[:200]!r}")
    counts = {name: int(value) for name, value in texts.items()}
    passed = words[-1] == "PASS"
    return SelfTestResult(
        network=network, board=board, counts=counts, passed=passed, cycles=cycles, line=line
    )


def simulate_bits(network: Network, board: str | None) -> SelfTestResult:
    """Run a network's self-test from the bits of its bitstream.

    Parameters
    ----------
    board : str or None
        Name of the board.

    Raises
    ------
    ConfigurationError, ToolError
        See `rtl.netlists.run_self_test`.
    DeadlockError
        The network failed its deadlock check.
    """
    if board is None:
        raise ConfigurationError(
            "--engine bitstream must be used with --board NAME, one that `knotwork boards` lists"
        )
    from ..rtl.netlists import run_self_test

    network.require_deadlock_free()
    first = run_self_test(network, board)
    return result_of(network.name, board, first.line, first.cycle)
