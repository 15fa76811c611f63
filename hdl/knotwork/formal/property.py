"""Properties that are claimed of a module, and the outcomes of their proofs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

PROVEN, BOUNDED, FAILED = "proven", "bounded", "failed"


@dataclass(frozen=True, kw_only=True)
class Property:
    """Something claimed of a module.

    Members
    -------
    name : str
        Its name, one word.
    text : str
        Its statement, for people.
    claim : callable
        Adds assumptions, claims and covers to a harness of its router class.
    lemmas : tuple of Property
        Properties that it rests on; its result is no better than theirs.
    guarantee : callable
        Claims that properties which rest on it may assume; all of its own if unnamed.
    claims_assertions : bool
        Whether the assertions in the Verilog are claims too.
    induction : int
        Longest induction tried, in cycles.
    depth : int
        Cycles after the reset that are searched where induction fails.
    cover : int
        Cycles within which every cover must be reached.
    """

    name: str
    text: str
    # Any: the properties of a router class take the harness of that class.
    claim: Callable[[Any], None]
    lemmas: tuple["Property", ...] = ()
    guarantee: Callable[[Any], None] | None = None
    claims_assertions: bool = False
    induction: int = 2
    depth: int = 12
    cover: int = 20


@dataclass(frozen=True, kw_only=True)
class Result:
    """Outcome of a property.

    Members
    -------
    name, text : str
        The property's.
    result : str
        `PROVEN` for all time; `BOUNDED`: no counterexample within `depth` cycles; `FAILED`.
    depth : int
        Cycles of the induction, cycles searched, or the cycle of the counterexample.
    seconds : float
        Time it took.
    reason : str
        Why it failed; empty otherwise.
    """

    name: str
    text: str
    result: str
    depth: int
    seconds: float
    reason: str = ""


def with_lemmas(properties: Iterable[Property]) -> list[Property]:
    """Properties and their lemmas, each once and after those that it rests on."""
    found: dict[str, Property] = {}
    for one in properties:
        for lemma in with_lemmas(one.lemmas):
            found.setdefault(lemma.name, lemma)
        found.setdefault(one.name, one)
    return list(found.values())
