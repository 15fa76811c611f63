"""Proofs against visiting all pairs of states that original and mutant can be in."""

from knotwork_sim.mutation.equivalence import prove
from knotwork_sim.mutation.invariants import find_invariants
from toy import shows


def test_a_proof_is_believed_by_who_visits_every_state(circuit, mutants):
    invariants = find_invariants(circuit)
    shown = {mutant.number: shows(circuit, mutant.number) for mutant in mutants}
    found = {mutant.number: prove(circuit, mutant.number, invariants) for mutant in mutants}
    alone = {mutant.number: prove(circuit, mutant.number) for mutant in mutants}
    for number, answer in found.items():
        assert answer.equivalent != shown[number]  # the toy is small enough for every answer
        assert not (alone[number].equivalent and shown[number])
    by_invariants = [n for n in found if found[n].equivalent and not alone[n].equivalent]
    assert len(by_invariants) >= 3
    assert 3 <= sum(shown.values()) < len(shown)


def test_a_wrong_invariant_would_prove_too_much(circuit, mutants):
    """The invariants are used: one that does not hold makes mutants vanish."""
    visible = [mutant.number for mutant in mutants if shows(circuit, mutant.number)]
    impossible = [(1,), (-1,)]
    assert all(prove(circuit, number, impossible).equivalent for number in visible)


def test_reasons_name_what_differs_or_where_it_may_show(circuit, mutants):
    invariants = find_invariants(circuit)
    reasons = [prove(circuit, mutant.number, invariants) for mutant in mutants]
    ports = {f"{port}[{place}]" for port, bits in circuit.outputs.items()
             for place in range(len(bits))}  # fmt: skip
    for answer in reasons:
        if answer.equivalent:
            assert answer.reason.startswith("no ")
        else:
            assert answer.reason.removeprefix("may show at ") in ports
