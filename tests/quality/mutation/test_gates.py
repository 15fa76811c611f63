from hypothesis import given
from hypothesis import strategies as st
from quality.mutation.gates import FALSE, TRUE, Gates


def test_gates_fold_constants_and_know_each_other():
    gates = Gates()
    a, b = gates.free(), gates.free()
    assert gates.both(a, TRUE) == gates.both(a, a) == a
    assert gates.both(a, FALSE) == gates.both(a, a ^ 1) == FALSE
    assert gates.both(a, b) == gates.both(b, a) != a
    assert gates.either(a, TRUE) == TRUE
    assert gates.choice(TRUE, a, b) == gates.choice(b, a, a) == a
    assert gates.differ(a, a) == FALSE
    assert gates.differ(a, a ^ 1) == TRUE


@given(a=st.booleans(), b=st.booleans(), select=st.booleans())
def test_gates_of_constants_are_the_functions(a, b, select):
    gates = Gates()
    assert gates.both(a, b) == (a and b)
    assert gates.either(a, b) == (a or b)
    assert gates.differ(a, b) == (a != b)
    assert gates.choice(select, a, b) == (a if select else b)
