"""`make mutate`: whether the tests would see a fault in the generated Verilog.

Yosys makes faults all over a router. A mutant is killed where a short simulation of its network
differs from the golden model, or a proof about the router fails. For what is left an equivalence
proof is tried; what it cannot decide either survives, and asks for a test or a reason (`reasons`).
"""

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from knotwork.cli import output as answers
from knotwork.files import write_whole
from knotwork.network import Network
from rich.console import Console
from rich.progress import Progress

from .equivalence import Answer, KnownOriginal, Original, prove
from .gates import Circuit, make_circuit, make_known_circuit, make_network_circuit
from .invariants import find_invariants
from .netlist import Mutant, list_mutants, module_verilog
from .properties import has_proofs, property_table
from .reasons import REASONS
from .runs import judge, make_runs
from .targets import TARGETS, Target

FILE = Path("build", "mutate.json")
MUTANTS = 300
"""Of each router."""
PROOFS = 4
"""Mutants of each router that its proofs are shown: one takes half a minute and more."""
ROUNDS = 4
"""Of traffic, for those that the first does not show and no proof clears."""
SHARES = ("killed of all", "killed of faults")
"""The latter are the mutants not proven to be none."""


def row(target: Target, *, count: int, seed: int, proofs: int = 0) -> dict[str, Any]:
    """Make the mutants of a router and find out about each.

    Parameters
    ----------
    proofs : int
        Other mutants that are shown to the proofs about the router, where there are any.

    Returns
    -------
    dict
        ``made``, ``killed``, ``equivalent``; ``kills``: how often each difference was the first;
        ``assertions``: how many mutants each assertion saw first;
        ``properties``: of how many mutants, ``proofs``, each property has a counterexample;
        ``equivalents`` and ``survivors``: what they are, and why; of a survivor ``reason`` is what
        the proof met, ``by_hand`` what is known of it, or empty.
    """
    begin = time.perf_counter()
    network = Network.from_word(target.net)
    verilog = module_verilog(network, target.module)
    mutants = list_mutants(verilog, target.module, count=count, seed=seed)
    name = target.module
    first = make_runs(network, crowd=target.crowd)
    sound, *verdicts = judge(network, name, mutants, first)
    left = [m for m, verdict in zip(mutants, verdicts, strict=True) if not verdict.killed]
    answers_of = dict(zip(left, decide(network, target, verilog, left), strict=True))
    # More of the same traffic for those that are not proven to be no faults.
    open_ones = [mutant for mutant in left if not answers_of[mutant].equivalent]
    if open_ones:
        more = make_runs(network, rounds=range(1, ROUNDS), crowd=target.crowd)
        again, *later = judge(network, name, open_ones, more)
        sound = again if again.killed else sound
        for mutant, verdict in zip(open_ones, later, strict=True):
            verdicts[mutant.number - 1] = verdict
    if sound.killed:
        raise click.ClickException(f"{target.name}: the original must pass, not fail: {sound.what}")
    answers_of = {m: answers_of[m] for m in left if not verdicts[m.number - 1].killed}
    table = {}
    if proofs and target.proofs and has_proofs(network):
        table = property_table(network, target.module, count=proofs, seed=seed)
    kills = Counter(verdict.what for verdict in verdicts if verdict.killed)
    assertions = Counter(verdict.message for verdict in verdicts if verdict.message)
    return {
        "name": target.name,
        "network": target.net,
        "module": target.module,
        "made": len(mutants),
        "killed": len(mutants) - len(answers_of),
        "equivalent": sum(answer.equivalent for answer in answers_of.values()),
        "kills": dict(sorted(kills.items())),
        "assertions": dict(sorted(assertions.items())),
        "proofs": proofs if table else 0,
        "properties": table,
        "equivalents": _told(answers_of, equivalent=True),
        "survivors": [
            survivor | {"by_hand": REASONS.get(target.name, {}).get(survivor["fault"], "")}
            for survivor in _told(answers_of, equivalent=False)
        ],
        "seconds": round(time.perf_counter() - begin, 1),
    }


def decide(network: Network, target: Target, verilog: str, left: Sequence[Mutant]) -> list[Answer]:
    """Try to prove the equivalence of mutants.

    Of the module alone, then with what its proofs say of it, then within its network.
    """
    if not left:
        return []
    circuit = make_circuit(verilog, target.module, left)
    found = dict.fromkeys(left, Answer(False, ""))

    def try_with(original: Original, circuit: Circuit, words: str = "{}") -> None:
        for mutant in [mutant for mutant in left if not found[mutant].equivalent]:
            answer = prove(circuit, mutant.number, original)
            found[mutant] = answer._replace(reason=words.format(answer.reason))

    try_with(Original(circuit, find_invariants(circuit)), circuit)
    if has_proofs(network):
        plain = make_circuit(verilog, target.module, [])
        known = make_known_circuit(network, target.module)
        try_with(KnownOriginal(circuit, plain, known), circuit, "by its properties, {}")
    open_ones = [mutant for mutant in left if not found[mutant].equivalent]
    if target.whole and open_ones:
        circuit = make_network_circuit(network, target.module, open_ones)
        try_with(Original(circuit, find_invariants(circuit)), circuit, "in the network, {}")
    return list(found.values())


def _told(answers_of: Mapping[Mutant, Answer], *, equivalent: bool) -> list[dict[str, Any]]:
    return [
        {"mutant": mutant.number, "fault": str(mutant), "reason": answer.reason}
        for mutant, answer in answers_of.items()
        if answer.equivalent == equivalent
    ]


def total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Report of all routers: sums, and every survivor with its router."""
    sums = {key: sum(line[key] for line in rows) for key in ("made", "killed", "equivalent")}
    survivors = [
        {"router": line["name"], **survivor} for line in rows for survivor in line["survivors"]
    ]
    return {**sums, "survivors": survivors, "routers": list(rows)}


def earlier_rows() -> dict[str, dict[str, Any]]:
    """Rows that the report on disk has, by name; none where there is none."""
    try:
        told = json.loads(FILE.read_text(encoding="utf-8"))
        return {line["name"]: line for line in told["routers"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice([target.name for target in TARGETS]))
@click.option("--mutants", default=MUTANTS, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**31 - 1))
@click.option("--proofs", default=PROOFS, show_default=True, type=click.IntRange(0, 1000))
def main(names: tuple[str, ...], mutants: int, seed: int, proofs: int) -> None:
    """Make mutants of the routers (or of those of these NAMES); leave `build/mutate.json`.

    There, the other routers keep what was found before.
    """
    chosen = [target for target in TARGETS if not names or target.name in names]
    console = Console(stderr=True)
    kept = {} if chosen == list(TARGETS) else earlier_rows()
    rows, order = [], [target.name for target in TARGETS]
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        for target in bar.track(chosen, description="routers"):
            rows.append(row(target, count=mutants, seed=seed, proofs=proofs))
            kept |= {target.name: rows[-1]}
            whole = [kept[name] for name in order if name in kept]
            write_whole(FILE, json.dumps(total(whole), indent=2) + "\n")
    columns = ["name", "made", "killed", "equivalent", "survivors", *SHARES, "seconds"]
    answers.table("Mutants", columns, [_cells(line) for line in rows])
    for line in rows:
        if line["properties"]:
            told = ", ".join(f"{name} {seen}" for name, seen in line["properties"].items())
            click.echo(f"{line['name']}: of {line['proofs']} mutants, counterexamples to {told}")
    for survivor in total(rows)["survivors"]:
        why = survivor["by_hand"] or f"{survivor['reason']}; no reason is known"
        click.echo(f"{survivor['router']} {survivor['mutant']}: {survivor['fault']}: {why}")


def _cells(line: dict[str, Any]) -> list[Any]:
    made, killed, equivalent = (line[key] for key in ("made", "killed", "equivalent"))
    faults = made - equivalent
    shares = [f"{killed / whole:.1%}" if whole else "-" for whole in (made, faults)]
    return [
        line["name"],
        made,
        killed,
        equivalent,
        len(line["survivors"]),
        *shares,
        round(line["seconds"]),
    ]


if __name__ == "__main__":
    main(prog_name="python -m quality.mutation")
