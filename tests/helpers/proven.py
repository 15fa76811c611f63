"""Proofs of any module of a network, sound or broken by hand."""

from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import parts, prove_part, prove_router, router_properties


def outcomes(words, module, *, only=None, before="", after=""):
    """Result and reason of each property of a module, in whose text `before` became `after`."""
    network = Network.from_words(words.split())
    part = next((part for part in parts(network) if part.name == module), None)
    kind = next((kind for kind in network.router_kinds if kind.name == module), None)
    if part is not None:
        verilog, properties = part.verilog(network, part.name), part.properties(network)
    else:
        assert kind is not None
        verilog, properties = router_verilog(network, kind), router_properties(network, kind)
    assert before in verilog
    if before:
        verilog = verilog.replace(before, after)
    chosen = [one for one in properties if only is None or one.name in only]
    assert chosen
    if part is not None:
        found = prove_part(network, part, verilog, chosen)
    else:
        assert kind is not None
        found = prove_router(network, kind, verilog, chosen)
    return {one.name: (one.result, one.reason) for one in found}


def sees(words, module, before, after, name):
    """Whether a property has a counterexample once the text is broken."""
    result, reason = outcomes(words, module, only={name}, before=before, after=after)[name]
    return result == "failed" and reason.startswith("counterexample")
