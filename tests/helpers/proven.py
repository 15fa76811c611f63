"""Proofs of any module of a network, sound or broken by hand."""

import re
from typing import NamedTuple

from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, parts, prove_part, prove_router, router_properties
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


def changing(before, after):
    """A change of a text, which must have what is changed."""

    def change(text):
        assert before in text
        return text.replace(before, after)

    return change


def changing_module(module, pattern, replacement):
    """A change of one module of a text, at one place; its name is without the network's."""

    def change(text):
        (begin,) = [found.start() for found in re.finditer(rf"module \w+_{module} ", text)]
        part = text[begin : text.index("endmodule", begin)]
        changed, count = re.subn(pattern, replacement, part)
        assert count == 1
        return text.replace(part, changed)

    return change


def finds(words, before, after, name):
    """Whether a property of the largest router has a counterexample once its text is broken."""
    found = router_outcomes(words, only={name}, break_it=changing(before, after))
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
    verilog = changing(before, after)(verilog) if before else verilog
    chosen = [one for one in properties if only is None or one.name in only]
    assert chosen
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
