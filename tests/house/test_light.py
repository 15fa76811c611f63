from house.light import loaded


def test_what_a_statement_loads_is_found():
    assert loaded("import numpy", ("numpy", "numba")) == ["numpy"]
    assert loaded("import json", ("numpy", "numba")) == []
