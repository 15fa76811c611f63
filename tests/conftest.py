import pytest
from hypothesis import settings

# The machine that runs the tests may be busy: time is pytest-timeout's business.
settings.register_profile("knotwork", deadline=None)
settings.load_profile("knotwork")


@pytest.fixture
def refusal(run):
    """Line that refuses a command; `run` is the asking module's own."""

    def refusal(line):
        status, out, err = run(line)
        assert (status, out) == (2, "")
        assert err.startswith("knotwork: error: ")
        assert err.count("\n") == 1
        return err.removeprefix("knotwork: error: ").rstrip("\n")

    return refusal
