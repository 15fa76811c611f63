"""Proofs against visiting all pairs of states that original and mutant can be in."""

import pytest
from helpers.toy import NAME, STAGED, shows
from knotwork import Network
from quality.mutation.equivalence import KnownOriginal, Original, prove
from quality.mutation.gates import make_circuit, make_known_circuit
from quality.mutation.invariants import find_invariants
from quality.mutation.netlist import list_mutants, module_verilog
from quality.mutation.runs import judge, make_runs


def test_a_proof_is_believed_by_who_visits_every_state(circuit, mutants):
    known, nothing = Original(circuit, find_invariants(circuit)), Original(circuit)
    shown = {mutant.number: shows(circuit, mutant.number) for mutant in mutants}
    found = {mutant.number: prove(circuit, mutant.number, known) for mutant in mutants}
    alone = {mutant.number: prove(circuit, mutant.number, nothing) for mutant in mutants}
    for number, answer in found.items():
        assert answer.equivalent != shown[number]  # the toy is small enough for every answer
        assert not (alone[number].equivalent and shown[number])
    by_invariants = [n for n in found if found[n].equivalent and not alone[n].equivalent]
    assert len(by_invariants) >= 2
    assert 3 <= sum(shown.values()) < len(shown)


def test_a_wrong_invariant_would_prove_too_much(circuit, mutants):
    """The invariants are used: one that does not hold makes mutants vanish."""
    visible = [mutant.number for mutant in mutants if shows(circuit, mutant.number)]
    impossible = Original(circuit, [(1,), (-1,)])
    assert all(prove(circuit, number, impossible).equivalent for number in visible)


def test_reasons_name_what_differs_or_where_it_may_show(circuit, mutants):
    known = Original(circuit, find_invariants(circuit))
    reasons = [prove(circuit, mutant.number, known) for mutant in mutants]
    ports = {f"{port}[{place}]" for port, bits in circuit.outputs.items()
             for place in range(len(bits))}  # fmt: skip
    for answer in reasons:
        if answer.equivalent:
            assert answer.reason.startswith("no ")
        else:
            assert answer.reason.removeprefix("may show at ") in ports


def test_a_register_may_differ_while_nobody_looks_at_it():
    """What is kept is reset in vain: it is looked at only when it was written."""
    mutants = list_mutants(STAGED, NAME, count=60)
    circuit = make_circuit(STAGED, NAME, mutants)
    original = Original(circuit)
    for mutant in mutants:
        assert prove(circuit, mutant.number, original).equivalent != shows(circuit, mutant.number)
    assert prove(circuit, 0, original).reason == "no register and no output depends on it"
    original.guards[:] = [[] for _ in original.guards]
    lost = [m for m in mutants if not prove(circuit, m.number, original).equivalent]
    assert any(not shows(circuit, mutant.number) for mutant in lost)


def known_router(net, mutants):
    network = Network.from_word(net)
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    verilog = module_verilog(network, kind.name)
    made = list_mutants(verilog, kind.name, count=mutants)
    circuit = make_circuit(verilog, kind.name, made)
    plain = make_circuit(verilog, kind.name, [])
    original = KnownOriginal(circuit, plain, make_known_circuit(network, kind.name))
    return network, kind.name, made, circuit, original


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
    *_, mutants, circuit, original = known_router(net, 10)
    assert None not in original.of
    assert prove(circuit, 0, original).equivalent
    # What is known does not contradict itself: most faults may show.
    found = [prove(circuit, mutant.number, original).equivalent for mutant in mutants]
    assert sum(found) < len(found) / 2


@pytest.mark.slow
@pytest.mark.parametrize("net", ["hypercube:n=2,data_width=8,buffer_depth=2"])
def test_a_mutant_that_a_simulation_sees_is_never_proven_to_be_none(net):
    network, name, mutants, circuit, original = known_router(net, 120)
    _, *verdicts = judge(network, name, mutants, make_runs(network))
    seen = [m for m, verdict in zip(mutants, verdicts, strict=True) if verdict.killed]
    assert len(seen) > 90
    assert not any(prove(circuit, mutant.number, original).equivalent for mutant in seen)
