"""Cases of parametrised tests."""

import pytest


def slow(*values, **keys):
    """Case that `make test` leaves out."""
    return pytest.param(*values, **keys, marks=pytest.mark.slow)
