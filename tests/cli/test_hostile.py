"""Every verb under hostile words: it works, or refuses in one line with status 2.

Quick draws are part of `make test`; `make soak` draws more of the same, and those that compile.
"""

import os
import subprocess
import sys

import click
import pytest
from helpers.hostile import (
    LIMIT,
    ODD,
    Outcome,
    check,
    draws,
    files,
    fits,
    hold,
    in_one_word,
    joined,
    network_words,
    option_words,
    pattern_words,
    run,
    traffic_words,
)
from hypothesis import strategies as st
from knotwork.cli import main
from knotwork.topology import TOPOLOGIES
from knotwork_boards import flow
from knotwork_boards.place_and_route import PlaceAndRoute
from knotwork_boards.table import BOARDS

NODES = st.one_of(
    st.sampled_from(["0", "1", "2", "@0", "@00", "@1"]), st.sampled_from(ODD), st.text(max_size=4)
).filter(lambda word: "\0" not in word)

PLACES = [
    *("new", "new.svg", "new.vcd", "new.html", "new.json"),
    *("deep/er/new.svg", "old.svg", "folder", "old.svg/new.svg"),
]
PLACES += ["", ".", "..", "n" * 300, "n" * 300 + ".svg", "new\u00e9.svg", "/dev/null/x.svg", "-"]
PLACES += ["new.png", "loop", "old.svg/", "missing.json"]


@pytest.fixture(scope="session")
def furnished(folders):
    """Makes folders with a few files, a new one per draw."""

    def make():
        folder = folders()
        (folder / "old.svg").write_text("old")
        (folder / "folder").mkdir()
        (folder / "loop").symlink_to("loop")
        return folder

    return make


def options(verb, **keys):
    return option_words(verb, PLACES, **keys)


SMALL = network_words()
ONE_WORD = SMALL.map(in_one_word)
SEVERAL = st.lists(st.one_of(ONE_WORD.map(lambda word: [word]), SMALL), max_size=3).map(
    lambda nets: [word for net in nets for word in net]
)
"""Words of several networks, in both forms."""
NAMES = st.sampled_from([*TOPOLOGIES, *ODD])
FEW = SMALL.filter(lambda words: fits(words, 24))

WORDS = {
    "networks": joined(st.lists(NAMES, max_size=2), options("networks")),
    "boards": joined(st.lists(st.sampled_from([*BOARDS, *ODD]), max_size=2), options("boards")),
    "doctor": joined(st.lists(st.sampled_from(["hdl", *ODD]), max_size=2), options("doctor")),
    "completion": st.lists(st.sampled_from(["bash", "zsh", "fish", *ODD]), max_size=2),
    "describe": joined(network_words(spread=4), pattern_words(), options("describe"), SEVERAL),
    "compare": joined(SEVERAL, options("compare")),
    "route": joined(SMALL, st.lists(NODES, max_size=3), options("route")),
    "check": joined(options("check"), SEVERAL),
    "multicast": joined(SMALL, st.lists(NODES, max_size=5), options("multicast")),
    "broadcast": joined(SMALL, st.lists(NODES, max_size=2), options("broadcast")),
    "schedule": joined(SMALL, options("schedule")),
    "draw": joined(options("draw"), SMALL),
    "export": joined(SMALL, options("export")),
    "simulate": joined(
        SMALL,
        traffic_words(),
        options("simulate", without=("--repeat",)),
        st.just(["--engine", "model"]),
    ),
    "sweep": joined(
        st.one_of(st.lists(ONE_WORD, max_size=2), SMALL),
        traffic_words(),
        options("sweep", without=("--measure", "--warmup", "--engine")),
        st.sampled_from([[], ["--measure", "100"], ["--measure=100", "--rates=0.1:0.2:0.1"]]),
    ),
    "survive": joined(
        FEW, options("survive", without=("--sets", "--all", "--measure")), st.just(["--sets=3"])
    ),
    "search": joined(
        options("search", without=("--effort", "--starts")),
        st.sampled_from([["--effort", "20"], ["--effort=9", "--starts=1", "--limit", "1min"]]),
    ),
    "generate": joined(network_words(odds=4).filter(lambda w: fits(w, 24)), options("generate")),
    "bitstream": joined(
        FEW, options("bitstream"), st.sampled_from([[], *(["--board", name] for name in BOARDS)])
    ),
    "monitor": joined(
        st.lists(st.sampled_from(PLACES), max_size=2), options("monitor"), st.just(["--patience=1"])
    ),
    "studio": joined(
        st.lists(st.sampled_from(ODD), max_size=1),
        options("studio"),
        st.just(["--no-browser", "--idle=0.1"]),
    ),
}
"""Words of the verbs; those that would wait or compute for long are kept short."""

VERBS = main.cli.list_commands(click.Context(main.cli))

COUNTS = {
    "networks": (3, 10),
    "boards": (3, 10),
    "doctor": (3, 10),
    "generate": (8, 120),
    "bitstream": (2, 100),
    "sweep": (15, 120),
    "search": (15, 120),
    "studio": (6, 60),
    "survive": (10, 120),
}


def words_of(verb):
    """Words of a verb; a verb that is not known here gets words that it must refuse."""
    if verb in WORDS:
        return WORDS[verb]
    return joined(st.lists(st.sampled_from(ODD), max_size=3), options(verb))


@pytest.fixture
def quick_tools(monkeypatch, in_threads):
    """Sweeps without new processes, boards without synthesis: neither is tested here."""

    def built(tools, search):
        (tools.tool_folder / tools.board.family.product).write_bytes(b"bits")
        result = PlaceAndRoute(50.0, {"lut": {"used": 1, "available": 2}})
        return flow.Built(next(iter(search)), result, builds=1, sources="")

    monkeypatch.setattr(flow.ToolRun, "run", built)
    monkeypatch.setattr(flow, "report_files", lambda *_: {flow.PAGE: "page"})


def test_a_board_without_synthesis_answers_as_the_flow_does(furnished, quick_tools):
    """Few of the words that are drawn are of a network that can be built."""
    words = ["bitstream", "hypercube", "n=1", "--board", "ulx3s_12f", "--report", "page", "--json"]
    outcome = run(words, furnished())
    assert outcome.status == 0, outcome.err
    assert "page/report.html" in outcome.after
    check(outcome, failing=False, as_json=True)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "place", [0, pytest.param(1, marks=pytest.mark.soak)], ids=["quick", "soak"]
)
def test_a_verb_works_or_refuses_in_one_line(verb, place, furnished, quick_tools):
    def body(words):
        outcome = run([verb, *words], furnished())
        check(outcome, failing=verb == "check", as_json="--json" in words)

    hold(COUNTS.get(verb, (40, 250))[place], words_of(verb), body)


@draws(30, 300)
def test_what_is_no_verb_is_refused(count, furnished):
    words = st.lists(st.one_of(st.sampled_from(ODD), NODES, st.sampled_from(list(WORDS))))

    def body(drawn):
        if drawn and drawn[0] in VERBS:
            drawn[0] += "x"
        outcome = run(drawn, furnished())
        check(outcome)

    hold(count, words, body)


@draws(2, 60)
def test_the_same_in_a_process_of_its_own(count, furnished):
    """What only a process has: arguments as bytes, streams, exit status, warnings on stderr."""
    words = st.sampled_from(["describe", "route", "check", "schedule", "draw", "export"]).flatmap(
        lambda verb: WORDS[verb].map(lambda drawn: [verb, *drawn])
    )
    program = [sys.executable, "-c", "from knotwork.cli.main import main; main()"]

    def body(drawn):
        folder = furnished()
        before = files(folder)
        done = subprocess.run(
            [*program, *map(os.fsencode, drawn)],
            cwd=folder,
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        outcome = Outcome(done.returncode, out, err, before, files(folder))
        check(outcome, failing=drawn[0] == "check", as_json="--json" in drawn)

    hold(count, words, body)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome(1, "", "a fault\n", {}, {}), "1: a fault"),
        (Outcome(130, "", "", {}, {}), "130: "),
        (Outcome(0, "well", "oh\n", {}, {}), "on stderr: 'oh"),
        (Outcome(0, "", "", {}, {}), "nothing was said"),
        (Outcome(2, "", "knotwork: error: two lines\nof it\n", {}, {}), "no line: "),
        (Outcome(2, "", "knotwork: error: \n", {}, {}), "no line: "),
        (Outcome(2, "", "Traceback (most recent call last):\n", {}, {}), "no line: 'Traceback"),
        (Outcome(2, "some", "knotwork: error: too much is said\n", {}, {}), "said before"),
        (Outcome(2, "", "knotwork: error: that is new\n", {}, {"a": b""}), "refused: {'a'}"),
        (
            Outcome(2, "", "knotwork: error: it is another\n", {"a": b"1"}, {"a": b""}),
            "refused: {'a'}",
        ),
        (Outcome(0, "well", "", {}, {".new.svg.x1": b""}), "a part is left"),
    ],
)
def test_a_breach_of_the_promise_is_caught(outcome, reason):
    with pytest.raises(AssertionError, match=reason):
        check(outcome)
