"""Properties of modules, outcomes of their proofs, and what a router class provides for them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ..network import Network, RouterKind
from .harness import Harness

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


class Part(NamedTuple):
    """Module of a network other than its routers, with its proof.

    Members
    -------
    name : str
        Name of the module.
    verilog : callable
        Text of the module and what it instantiates, by network and name.
    harness : callable
        Harness of the module, by network and name.
    properties : callable
        Properties of the module, lemmas first.
    traffic_class : int or None
        Class of traffic that is proven by itself.
    """

    name: str
    verilog: Callable[[Network, str], str]
    harness: Callable[[Network, str], Harness]
    properties: Callable[[Network], Sequence[Property]]
    traffic_class: int | None = None


class RouterProofs(Protocol):
    """Proofs of the routers of one class, as the package of the class provides them."""

    def harness(self, network: Network, kind: RouterKind) -> Harness:
        """Harness of a router, which may be any of its kind."""
        ...

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        """Properties of a router, lemmas first; each takes the harness of this class."""
        ...

    def separate_kinds(self, network: Network, kind: RouterKind) -> Sequence[RouterKind]:
        """Kinds that share a router's turns among them, and are proven one after the other.

        `harness` and `properties` take each of them. The kind itself unless a class overrides this.
        """
        del network
        return (kind,)

    def reachable_harness(self, network: Network, kind: RouterKind) -> Harness:
        """Harness that also assumes what follows from the network: which packets can come at all.

        This needs the paths of all pairs of nodes. Nothing follows unless a class overrides this.
        """
        return self.harness(network, kind)

    def unmet_requirement(self, network: Network) -> str | None:
        """What the network lacks for the proofs to hold; None unless a class overrides this."""
        del network
        return None

    def parts(self, network: Network) -> Sequence[Part]:
        """Modules beside the routers; none unless a class overrides this."""
        del network
        return ()

    def unproven(self, network: Network) -> Sequence[str]:
        """What is not proven of the network's options, in words."""
        del network
        return ()
