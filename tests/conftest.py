import json
import signal
import time

import pytest
from helpers import faults, run_times
from hypothesis import settings
from knotwork.cli import main
from knotwork.topology import TOPOLOGIES

# The machine that runs the tests may be busy: time is pytest-timeout's business.
settings.register_profile("knotwork", deadline=None)
settings.load_profile("knotwork")


STARTED = time.monotonic()
BEGAN = pytest.StashKey[run_times.Seconds]()
CASES: list[run_times.Case] = []


def pytest_configure():
    """Give commands under test the signals that a shell's ``&`` or `nohup` had this one ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            # A handler, other than an ignored signal, is not inherited.
            signal.signal(number, lambda *_: None)


TEXT_ALONE = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Where slow tests are left out, keep those of faults, but only up to the changed text."""
    if "not slow" not in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("fault") and item.get_closest_marker("slow"):
            item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "slow"]
            item.stash[TEXT_ALONE] = True


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    if TEXT_ALONE not in pyfuncitem.stash:
        return (yield)
    with faults.until_changed():
        yield
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    item.stash[BEGAN] = run_times.cpu_seconds()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Send the time of a case to the process that prints it."""
    if call.when == "teardown":
        spent = run_times.cpu_seconds().since(item.stash[BEGAN])
        item.user_properties.append((run_times.PROPERTY, list(spent)))


def pytest_runtest_logreport(report):
    times = dict(report.user_properties)
    if report.when == "teardown" and run_times.PROPERTY in times:
        long = bool({"slow", "soak"} & set(report.keywords))
        spent = run_times.Seconds(*times[run_times.PROPERTY])
        CASES.append(run_times.Case(report.nodeid, spent, long))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail a run with a case that takes too long for what it is marked as."""
    if not hasattr(session.config, "workerinput") and not session.exitstatus:
        session.exitstatus = pytest.ExitCode(bool(run_times.too_long(CASES, run_times.slowness())))


def pytest_terminal_summary(terminalreporter):
    if CASES:
        terminalreporter.section("times")
        for line in run_times.summary(CASES, time.monotonic() - STARTED, run_times.slowness()):
            terminalreporter.line(line)


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
    monkeypatch.setattr("knotwork.routing.registry._ADDED", {})
