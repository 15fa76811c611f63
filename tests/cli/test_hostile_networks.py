"""Legal networks of all kinds: generated, clean under Verilator's lint, 200 packets delivered."""

import json
from pathlib import Path

import pytest
from helpers.emitted import lint
from helpers.hostile import check, draws, hold, is_network, network_words, run
from knotwork.builds import compilation

PACKETS = 200
CACHE = Path("build", "verilator").absolute()

LEGAL = network_words(odds=0, spread=1).filter(lambda words: is_network(words, 16))


@pytest.fixture
def shared_cache(monkeypatch):
    """Commands share what Verilator compiled, whatever folder they run in."""
    monkeypatch.setattr(compilation, "cache_directory", lambda: CACHE)


def traffics(nodes):
    """Words of `PACKETS` packets or more, for networks that choose when their nodes may send."""
    whole = -(-PACKETS // nodes) * nodes
    fixed = ["traffic=permutation", "permutation=random"]
    return [[f"packets={PACKETS}", "rate=0.3"], [*fixed, f"packets={whole}"], fixed]


def delivered(words, engine, folder, nodes):
    """Answer of the first traffic that the network takes."""
    for traffic in traffics(nodes):
        outcome = run(["simulate", *words, *traffic, "--engine", engine, "--json"], folder)
        check(outcome, as_json=True)
        if outcome.status == 0:
            return json.loads(outcome.out)
        assert "traffic: " in outcome.err, outcome.err
    raise AssertionError(f"no traffic was taken: {outcome.err}")


def works(words, folder, engine="model"):
    """Whether a network is generated, lints and delivers; if not, it is refused in one line."""
    outcome = run(["generate", *words, "-o", "made", "--json"], folder)
    check(outcome, as_json=True)
    if outcome.status == 2:
        assert files_below(folder) == []
        return False
    manifest = json.loads((folder / "made" / "manifest.json").read_text())
    assert set(manifest["files"]) <= {path.name for path in files_below(folder)}
    (verilog,), (waivers,) = (list((folder / "made").glob(f"*.{end}")) for end in ("v", "vlt"))
    assert lint(verilog, waivers, top=manifest["top"]) == ""
    checked = run(["check", *words], folder)
    check(checked, failing=True)
    if checked.status == 0:  # allow_deadlock=yes generates what may deadlock
        answer = delivered(words, engine, folder, len(manifest["nodes"]))
        assert answer["delivered"] == answer["injected"] > 0
        assert answer["mismatches"] in (None, 0)
    return True


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@draws(3, 200)
def test_what_is_generated_lints_and_delivers(count, folders, shared_cache):
    worked = []
    hold(count, LEGAL, lambda words: worked.append(works(words, folders())))
    assert any(worked)


@pytest.mark.soak
def test_the_verilog_delivers_too(folders, shared_cache):
    small = network_words(odds=0, spread=1).filter(lambda words: is_network(words, 9))
    worked = []
    hold(25, small, lambda words: worked.append(works(words, folders(), "both")))
    assert any(worked)


def test_a_network_that_loses_packets_does_not_pass(folders, monkeypatch):
    from knotwork_sim.check import simulate

    run_model = simulate.run_model
    losing = lambda *of, **keys: run_model(*of, **keys, clocks=20)  # noqa: E731
    monkeypatch.setattr(simulate, "run_model", losing)
    with pytest.raises(AssertionError, match="must lose nothing"):
        works(["mesh", "x=2", "y=2"], folders())
