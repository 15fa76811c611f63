"""Kinds of failures, and the exit status of each."""

import pytest
from knotwork import errors


@pytest.mark.parametrize(
    ("kind", "builtin", "status"),
    [
        (errors.ConfigurationError, ValueError, 2),
        (errors.DeadlockError, ValueError, 2),
        (errors.ToolError, RuntimeError, 2),
        (errors.CheckFailedError, Exception, 1),
    ],
)
def test_an_expected_failure_is_known_by_kind_and_has_a_status(kind, builtin, status):
    failure = kind("what went wrong")
    assert isinstance(failure, errors.KnotworkError)
    assert isinstance(failure, builtin)
    assert failure.status == status
