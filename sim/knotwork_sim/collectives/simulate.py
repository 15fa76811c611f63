"""`simulate` with collectives as traffic: all groups at once, checked against NumPy's answers."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.collectives import Collective

from ..traffic.keys import Traffic
from . import ports
from .messages import draw_round

COUNT = 20
"""Collectives of each group unless named."""

ENGINES = ("both", "rtl", "model")


@dataclass(frozen=True, kw_only=True)
class CollectiveResult:
    """Result of a simulation of collectives.

    Members
    -------
    network, engine : str
        Names.
    collectives : int
        Collectives of all groups.
    answered : int
        Answers that members received as NumPy has them.
    missing, wrong : int
        Answers that did not come, and that should not have come so.
    mismatches : int or None
        Rows in which Verilog and golden model differ: a port in a cycle; None where not compared.
    cycles : int
        Cycles from the start of the run to the last beat's, both included.
    beats : int
        Beats that members received.
    beats_per_cycle : float
        The same per cycle.
    groups : list of dict
        Of each group its `name`, its `nodes`, its `depth` and its `collectives`.
    seed : int
        Decides every number drawn.
    first_fault : str or None
        First thing that is wrong, in words.
    """

    network: str
    engine: str
    collectives: int
    answered: int
    missing: int
    wrong: int
    mismatches: int | None
    cycles: int
    beats: int
    beats_per_cycle: float
    groups: list[dict[str, object]]
    seed: int
    first_fault: str | None

    @property
    def faults(self) -> dict[str, int]:
        """Counts of what went wrong, where any did."""
        counts = {"missing": self.missing, "wrong": self.wrong, "mismatches": self.mismatches or 0}
        return {name: count for name, count in counts.items() if count}

    def as_json(self) -> dict[str, object]:
        """Members by the names that `simulate` promises for collectives."""
        return asdict(self)


def simulate_collectives(
    network: Network, traffic: Traffic, *, engine: str = "both"
) -> CollectiveResult:
    """Run collectives of all groups at once.

    Parameters
    ----------
    traffic : Traffic
        Collectives, their lengths and pauses.
    engine : str
        One of `ENGINES`.

    Raises
    ------
    ConfigurationError
        A network without collectives, or an engine that does not run them.
    ToolError
        Verilator or the C++ compiler is missing or failed.
    """
    if not network.collective_groups:
        raise ConfigurationError(
            f"{network.name}: traffic={traffic.traffic} must be used with collectives=yes"
        )
    if engine not in ENGINES:
        raise ConfigurationError(
            f"--engine must be one of {', '.join(ENGINES)} with traffic={traffic.traffic}, not "
            f"{engine!r}"
        )
    groups = draw_groups(network, traffic)
    pauses = ports.Pauses.of(
        traffic.bubble, traffic.stall, changing=traffic.pauses == "changing", seed=traffic.seed
    )
    model = None if engine == "rtl" else ports.run_model(groups, pauses)
    log, differences = model, None
    if engine != "model":
        from .verilog import run_network

        log = run_network(network, groups, pauses)
        differences = None if model is None else ports.differences(model, log)
    assert log is not None
    verdict = ports.judge(groups, log)
    beats = sum(row.what == ports.ANSWER and row.taken for row in log.rows)
    cycles = verdict.last + 1
    return CollectiveResult(
        network=network.name,
        engine=engine,
        collectives=sum(len(group.rounds) for group in groups),
        answered=verdict.answered,
        missing=verdict.missing,
        wrong=verdict.wrong,
        mismatches=None if differences is None else len(differences),
        cycles=cycles,
        beats=beats,
        beats_per_cycle=round(beats / cycles, 4) if cycles else 0.0,
        groups=[
            {
                "name": group.name,
                "nodes": len(group.tree.members),
                "depth": group.tree.depth,
                "collectives": len(group.rounds),
            }
            for group in groups
        ],
        seed=traffic.seed,
        first_fault=_first_fault(groups, verdict, differences),
    )


def draw_groups(network: Network, traffic: Traffic) -> list[ports.Group]:
    """Groups of a network with the collectives that its traffic draws."""
    names, weights = zip(*traffic.parts, strict=True)
    kinds = [Collective[name.upper()] for name in names]
    lengths = traffic.length or (1, 1)
    drawn = []
    for number, group in enumerate(network.collective_groups):
        rng = np.random.default_rng([traffic.seed, 8, number])
        chosen = rng.choice(len(kinds), traffic.collective_count or COUNT, p=weights)
        rounds = [
            draw_round(group.tree, group.form, kinds[kind], lengths, rng)
            for kind in chosen.tolist()
        ]
        drawn.append(ports.Group(group.name, group.tree, group.form, rounds))
    return drawn


def _first_fault(
    groups: Sequence[ports.Group], verdict: ports.Verdict, differences: Sequence[ports.Row] | None
) -> str | None:
    """First difference between engines, or else the first answer that is wrong or missing."""
    if not differences:
        return verdict.first_wrong
    row = differences[0]
    nodes = [(group.name, node) for group in groups for node in group.tree.members]
    name, node = nodes[row.port]
    what = ("takes a beat", "offers an answer", "has marks")[row.what]
    return f"{name}: node {node}, cycle {row.cycle}: only one of Verilog and model {what}"
