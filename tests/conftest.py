import json
import signal

import pytest
from hypothesis import settings
from knotwork.cli import main
from knotwork.topology import TOPOLOGIES

# The machine that runs the tests may be busy: time is pytest-timeout's business.
settings.register_profile("knotwork", deadline=None)
settings.load_profile("knotwork")


def pytest_configure():
    """Give commands under test the signals that a shell's ``&`` or `nohup` had this one ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            # A handler, other than an ignored signal, is not inherited.
            signal.signal(number, lambda *_: None)


@pytest.fixture
def refusal(run):
    """Line that refuses a command; a module may have a `run` of its own."""

    def refusal(line):
        status, out, err = run(line)
        assert (status, out) == (2, "")
        assert err.startswith("knotwork: error: ")
        assert err.count("\n") == 1
        return err.removeprefix("knotwork: error: ").rstrip("\n")

    return refusal


@pytest.fixture
def run(capsys):
    """Run a command line; its status, output and complaints."""

    def run(line):
        status = main.run(line.split())
        return (status, *capsys.readouterr())

    return run


@pytest.fixture
def answer(run):
    """JSON that a command line answers with."""

    def answer(line, status=0):
        got, out, err = run(line + " --json")
        assert (got, err) == (status, "")
        return json.loads(out)

    return answer


@pytest.fixture(autouse=True)
def _networks_of_plugins_are_forgotten(monkeypatch):
    """Leave the registries as they were: a plugin is for its test alone."""
    monkeypatch.setattr(TOPOLOGIES, "_added", {})
    monkeypatch.setattr("knotwork.routing._ADDED", {})
