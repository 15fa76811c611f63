"""What becomes of a router's mutants: its row in the report of `make mutate`."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from knotwork.errors import CheckFailedError
from knotwork.network import Network

from .equivalence import Answer, Original, OriginalWithFacts, prove
from .invariants import find_invariants
from .judge import Verdict, judge
from .mutants import Mutant, list_mutants, module_verilog
from .netlist import Netlist, make_netlist, make_netlist_with_facts, make_network_netlist
from .properties import has_proofs, property_table
from .runs import make_runs, make_runs_beside
from .targets import REASONS, Target
from .trees import TreeBench, TreeVerdict, judge_tree

ROUNDS = 4
"""Rounds of traffic; all but the first are for mutants that it does not kill."""


class Fate(NamedTuple):
    """What became of a router's mutants."""

    verdicts: list[Verdict | TreeVerdict]  # of the simulations, by the mutants' order
    unseen: dict[Mutant, Answer]  # proofs about the mutants that no simulation killed


def target_row(target: Target, *, count: int, seed: int, proofs: int = 0) -> dict[str, Any]:
    """Make the mutants of a router and find out about each.

    ``kills`` are mutants by how they first differed, ``assertions`` mutants by the assertion that
    failed first, ``properties`` how many of ``proofs`` other mutants break each property. A
    survivor's ``reason`` is what stopped the proof, its ``by_hand`` what is known of it, or empty.
    """
    begin = time.perf_counter()
    network = Network.from_word(target.net)
    verilog = verilog_of(network, target)
    mutants = list_mutants(verilog, target.module, count=count, seed=seed)
    fate = find_fate(network, target, verilog, mutants)
    table = {}
    if proofs and target.proofs and not target.is_tree and has_proofs(network):
        table = property_table(network, target.module, count=proofs, seed=seed)
    kills = Counter(verdict.what for verdict in fate.verdicts if verdict.killed)
    assertions = Counter(verdict.message for verdict in fate.verdicts if verdict.message)
    return {
        "name": target.name,
        "network": target.net,
        "module": target.module,
        "made": len(mutants),
        "killed": len(mutants) - len(fate.unseen),
        "equivalent": sum(answer.equivalent for answer in fate.unseen.values()),
        "kills": dict(sorted(kills.items())),
        "assertions": dict(sorted(assertions.items())),
        "proofs": proofs if table else 0,
        "properties": table,
        "equivalents": _answer_rows(fate.unseen, equivalent=True),
        "survivors": [
            survivor | {"by_hand": REASONS.get(target.name, {}).get(survivor["fault"], "")}
            for survivor in _answer_rows(fate.unseen, equivalent=False)
        ],
        "seconds": round(time.perf_counter() - begin, 1),
    }


def verilog_of(network: Network, target: Target) -> str:
    """Verilog of a target's module."""
    if target.is_tree:
        return TreeBench(network, target.module).verilog
    return module_verilog(network, target.module)


def find_fate(network: Network, target: Target, verilog: str, mutants: Sequence[Mutant]) -> Fate:
    """Simulate mutants, those left for longer, and try to prove the rest equivalent.

    It is an error if the original itself differs from the golden model.
    """
    verdicts: dict[Mutant, Verdict | TreeVerdict] = {}
    left = list(mutants)
    # A proof that fails takes longer than traffic that kills.
    for rounds in (range(1), range(1, ROUNDS)):
        sound, *found = _simulate(network, target, left, rounds)
        if sound.killed:
            raise CheckFailedError(f"{target.name}: the original must pass, not fail: {sound.what}")
        verdicts |= zip(left, found, strict=True)
        left = [mutant for mutant in left if not verdicts[mutant].killed]
        if not left:
            break
    answers = decide(network, target, verilog, left)
    return Fate(list(verdicts.values()), dict(zip(left, answers, strict=True)))


def _simulate(
    network: Network, target: Target, mutants: Sequence[Mutant], rounds: range
) -> Sequence[Verdict | TreeVerdict]:
    """Verdicts of some rounds of traffic on the original and on mutants."""
    if target.is_tree:
        return judge_tree(TreeBench(network, target.module), mutants, rounds)
    runs = make_runs(network, rounds=rounds, crowd=target.crowd)
    runs += make_runs_beside(network, rounds=rounds)
    return judge(network, target.module, mutants, runs)


def decide(network: Network, target: Target, verilog: str, left: Sequence[Mutant]) -> list[Answer]:
    """Try to prove mutants equivalent.

    The first attempt looks at the module alone, the second adds what its proofs say, the third
    looks at the whole network.
    """
    if not left:
        return []
    netlist = make_netlist(verilog, target.module, left)
    found = dict.fromkeys(left, Answer(False, ""))

    def try_with(original: Original, netlist: Netlist, words: str = "{}") -> None:
        for mutant in [mutant for mutant in left if not found[mutant].equivalent]:
            answer = prove(netlist, mutant.number, original)
            found[mutant] = answer._replace(reason=words.format(answer.reason))

    try_with(Original(netlist, find_invariants(netlist)), netlist)
    if not target.is_tree and has_proofs(network):
        plain = make_netlist(verilog, target.module, [])
        known = make_netlist_with_facts(network, target.module)
        try_with(OriginalWithFacts(netlist, plain, known), netlist, "by its properties, {}")
    undecided = [mutant for mutant in left if not found[mutant].equivalent]
    if target.is_small and not target.is_tree and undecided:
        netlist = make_network_netlist(network, target.module, undecided)
        try_with(Original(netlist, find_invariants(netlist)), netlist, "in the network, {}")
    return list(found.values())


def _answer_rows(answers_of: Mapping[Mutant, Answer], *, equivalent: bool) -> list[dict[str, Any]]:
    return [
        {"mutant": mutant.number, "fault": mutant.fault, "reason": answer.reason}
        for mutant, answer in answers_of.items()
        if answer.equivalent == equivalent
    ]
