"""Proofs against visiting all pairs of states that original and mutant can be in."""

import pytest
from helpers.toy import NAME, STAGED, shows
from knotwork import Network
from quality.mutation.equivalence import Original, OriginalWithFacts, prove
from quality.mutation.invariants import find_invariants
from quality.mutation.judge import judge
from quality.mutation.mutants import list_mutants, module_verilog
from quality.mutation.netlist import make_netlist, make_netlist_with_facts
from quality.mutation.runs import make_runs


def test_a_proof_is_believed_by_who_visits_every_state(netlist, mutants):
    known, nothing = Original(netlist, find_invariants(netlist)), Original(netlist)
    impossible = Original(netlist, [(1,), (-1,)])
    ports = {f"{port}[{place}]" for port in netlist.outputs for place in (0, 1)}
    shown, by_invariants = [], 0
    for number in (mutant.number for mutant in mutants):
        equivalent, reason = prove(netlist, number, known)
        alone = prove(netlist, number, nothing).equivalent
        shown.append(shows(netlist, number))
        assert equivalent != shown[-1]  # the toy is small enough for every answer
        assert not (alone and shown[-1])
        by_invariants += equivalent and not alone
        assert reason.startswith("no ") if equivalent else reason[len("may show at ") :] in ports
        # The invariants are used: one that does not hold makes mutants vanish.
        assert prove(netlist, number, impossible).equivalent or not shown[-1]
    assert by_invariants >= 2
    assert 3 <= sum(shown) < len(shown)


FLAT = STAGED.partition("endmodule")[2].replace("module stage", "module toy")
"""The stage without a module around it: its registers are the top's own."""


@pytest.mark.parametrize("staged", [STAGED, FLAT])
def test_a_register_may_differ_while_nobody_looks_at_it(staged):
    """What is kept is reset in vain: it is looked at only when it was written."""
    mutants = list_mutants(staged, NAME, count=40)
    netlist = make_netlist(staged, NAME, mutants)
    original = Original(netlist)
    for mutant in mutants:
        assert prove(netlist, mutant.number, original).equivalent != shows(netlist, mutant.number)
    assert prove(netlist, 0, original).reason == "no register and no output depends on it"
    original.guards[:] = [[] for _ in original.guards]
    lost = [m for m in mutants if not prove(netlist, m.number, original).equivalent]
    assert any(not shows(netlist, mutant.number) for mutant in lost)


def known_router(net, mutants):
    network = Network.from_word(net)
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    verilog = module_verilog(network, kind.name)
    made = list_mutants(verilog, kind.name, count=mutants)
    netlist = make_netlist(verilog, kind.name, made)
    plain = make_netlist(verilog, kind.name, [])
    original = OriginalWithFacts(netlist, plain, make_netlist_with_facts(network, kind.name))
    return network, kind.name, made, netlist, original


@pytest.mark.parametrize(
    "net",
    [
        "hypercube:n=2,router=deflection,data_width=8",
        pytest.param("hypercube:n=2,data_width=8,buffer_depth=2", marks=pytest.mark.slow),
        pytest.param("mesh:x=2,y=2,data_width=8,buffer_depth=4", marks=pytest.mark.slow),
        pytest.param("wk:w=2,levels=2,data_width=8,buffer_depth=3", marks=pytest.mark.slow),
        pytest.param("lcan:d=2,u=2,levels=2,data_width=8,max_packet=4", marks=pytest.mark.slow),
        pytest.param("ccc:n=3,routing=lc2,data_width=8,words=2", marks=pytest.mark.slow),
    ],
)
def test_a_router_is_as_it_is_known_even_with_all_its_mutants_at_rest(net):
    *_, mutants, netlist, original = known_router(net, 10)
    assert None not in original.of
    assert prove(netlist, 0, original).equivalent
    # What is known does not contradict itself: most faults may show.
    found = [prove(netlist, mutant.number, original).equivalent for mutant in mutants]
    assert sum(found) < len(found) / 2


@pytest.mark.slow
@pytest.mark.parametrize("net", ["hypercube:n=2,data_width=8,buffer_depth=2"])
def test_a_mutant_that_a_simulation_sees_is_never_proven_to_be_none(net):
    network, name, mutants, netlist, original = known_router(net, 120)
    _, *verdicts = judge(network, name, mutants, make_runs(network))
    seen = [m for m, verdict in zip(mutants, verdicts, strict=True) if verdict.killed]
    assert len(seen) > 90
    assert not any(prove(netlist, mutant.number, original).equivalent for mutant in seen)
