import pytest
from knotwork.errors import ConfigurationError


@pytest.fixture
def refused():
    """Text of the error by which something is refused."""

    def refused(make):
        with pytest.raises(ConfigurationError) as error:
            make()
        return str(error.value)

    return refused
