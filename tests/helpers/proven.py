"""Proofs of any module of a network, sound or broken by hand."""

import re
from typing import NamedTuple

from helpers.faults import changing
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, parts, prove_part, prove_router, router_properties
from knotwork.formal.component import component_verilog
from knotwork.router_kind import RouterKind


class Router(NamedTuple):
    """A network, its router of most turns, and that router's Verilog."""

    network: Network
    kind: RouterKind
    verilog: str


def largest_router(words):
    """Router of most turns in a network."""
    network = Network.from_words(words.split())
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    return Router(network, kind, router_verilog(network, kind))


def router_outcomes(words, *, only=None, break_it=lambda text: text):
    """Result and reason of the largest router's properties: all, or some and their lemmas."""
    network, kind, verilog = largest_router(words)
    properties = router_properties(network, kind)
    chosen = [one for one in properties if only is None or one.name in only]
    assert only is None or len(chosen) == len(only)
    found = prove_router(network, kind, break_it(verilog), chosen)
    return {one.name: (one.result, one.reason) for one in found}


def require_proven(network, kind, verilog):
    """Every property of a router is tried, and proven."""
    found = list(prove_router(network, kind, verilog))
    named = [one.name for one in router_properties(network, kind)]
    assert [one.name for one in found] == ["reset", *named]
    outcomes = {one.name: (one.result, one.reason) for one in found}
    assert outcomes == dict.fromkeys(outcomes, (PROVEN, ""))


def component_outcomes(proofs, before="", after=""):
    """Result and reason of each property of a component, in whose Verilog one place was changed."""
    verilog = component_verilog(proofs.make)
    if before:
        verilog = changing(before, after)(verilog)
    return {one.name: (one.result, one.reason) for one in proofs.prove(verilog)}


def finds(words, before, after, name, *, module=""):
    """Whether a property of the largest router has a counterexample once its text is broken."""
    found = router_outcomes(words, only={name}, break_it=changing(before, after, module))
    result, reason = found[name]
    assert [*found][-1] == name
    return result == FAILED and re.fullmatch(r"counterexample: \w+\.py:\d+", reason) is not None


def outcomes(words, module, *, only=None, before="", after=""):
    """Result and reason of each property of a module, in whose text `before` became `after`.

    The module is named without the network's name, which is the name of the top.
    """
    network = Network.from_words(words.split())
    name = network.module_name(module) if module else network.name
    part = next((part for part in parts(network) if part.name == name), None)
    kind = next((kind for kind in network.router_kinds if kind.name == name), None)
    if part is not None:
        verilog, properties = part.verilog(network, part.name), part.properties(network)
    else:
        assert kind is not None
        verilog, properties = router_verilog(network, kind), router_properties(network, kind)
    chosen = [one for one in properties if only is None or one.name in only]
    assert chosen
    verilog = changing(before, after)(verilog) if before else verilog
    if part is not None:
        found = prove_part(network, part, verilog, chosen)
    else:
        assert kind is not None
        found = prove_router(network, kind, verilog, chosen)
    return {one.name: (one.result, one.reason) for one in found}


def sees(words, module, before, after, name):
    """Whether a property has a counterexample once the text of a module is broken."""
    result, reason = outcomes(words, module, only={name}, before=before, after=after)[name]
    return result == FAILED and reason.startswith("counterexample")
