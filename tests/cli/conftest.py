from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork.cli import checkup
from knotwork.designs import Design
from knotwork_sim.sweep.workers import LocalWorkers


@pytest.fixture
def cyclic(monkeypatch):
    """Makes every command line name a ring whose routing can deadlock."""
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    monkeypatch.setattr(Design, "from_texts", lambda name, texts, **_: Design(network))


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Makes folders, a new one per draw."""
    return lambda: tmp_path_factory.mktemp("draw", numbered=True)


@pytest.fixture
def in_threads(monkeypatch):
    """Sweeps without new processes."""
    monkeypatch.setattr(LocalWorkers, "_start", lambda self: ThreadPoolExecutor(1))


_printed_version = checkup._printed_version


@cache
def _remembered_version(command, mute):
    return _printed_version(command, mute=mute)


@pytest.fixture(autouse=True)
def _each_tool_is_started_once(monkeypatch):
    """Tools in WebAssembly take seconds to start; the tests of `doctor` start them once."""
    monkeypatch.setattr(
        checkup,
        "_printed_version",
        lambda command, mute=False: _remembered_version(tuple(command), mute),
    )
