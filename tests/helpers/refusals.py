"""What a caller reads where something cannot be."""

from contextlib import contextmanager

import pytest
from knotwork.errors import ConfigurationError


@contextmanager
def refuses(line, kind=ConfigurationError):
    """Context that must end with an error of exactly this text."""
    with pytest.raises(kind) as refusal:
        yield
    found = str(refusal.value)
    assert found == line, found
