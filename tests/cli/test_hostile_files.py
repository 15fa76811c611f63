"""Files that verbs read, legal or broken in bytes or structure: taken, or refused in one line.

What the shell's user can hand over: TOML of networks, JSON of permutations, schedules and results
of sweeps, matrices, records of bitstreams.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers.hostile import ODD, check, draws, fits, hold, network_words, run
from hypothesis import strategies as st
from knotwork.cli import main
from knotwork.topology.graph_file.graph_file import READERS as GRAPH_FILES

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 20),
        st.sampled_from([2**31, 2**63, -(2**63) - 1, 10**30, float("nan"), float("inf"), 1e308]),
        st.floats(),
        st.sampled_from(ODD),
        st.text(max_size=5),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
"""Plain data that no verb expects."""

WHOLE = [
    *(b"", b"\n", b"\0", b"\xff\xfe\0", b"[" * 20_000, b'{"a":' * 20_000, b"9" * 5000, b"null"),
    *(b"NaN", b"[NaN]", b"[1e400]", b"\xef\xbb\xbf[1, 0]", b'"', b"[1, 0", b"a = ", b"[[rounds]]"),
    *(b"network = 1979-05-27\n", b"[network]\n", b"=\n", b"0" * 10**6),
    b"network = 'mesh'\nx = 3\ny = 3\n" * 2,
    b"network = 'mesh'\nx = " + b"9" * 5000,
    b"network = 'mesh'\nx = " + b"[" * 5000,
]
"""Contents that no verb expects."""


@st.composite
def broken_bytes(draw: Any, content: bytes) -> bytes:
    """Content with some bytes changed, left out or doubled."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(len(content) - 1, 0)))
        end = place + draw(st.integers(0, 8))
        put = draw(st.one_of(st.binary(max_size=3), st.just(content[place:end] * 2)))
        content = content[:place] + put + content[end:]
    return content


@st.composite
def broken_data(draw: Any, data: Any) -> Any:
    """Plain data in which one value is replaced or removed."""
    if isinstance(data, dict | list) and data and draw(st.integers(0, 4)):
        places = list(data) if isinstance(data, dict) else list(range(len(data)))
        place = draw(st.sampled_from(places))
        copy = data.copy()
        if draw(st.integers(0, 5)) == 0:
            del copy[place]
        else:
            copy[place] = draw(broken_data(data[place]))
        return copy
    return draw(VALUES)


def spelled(data: Any) -> bytes:
    """JSON of plain data, with NaN and lone surrogates as Python spells them."""
    return json.dumps(data).encode()


def contents(data: Any) -> st.SearchStrategy[bytes]:
    """Files to be read instead of one that holds this data."""
    return st.one_of(
        st.just(spelled(data)),
        broken_data(data).map(spelled),
        broken_bytes(spelled(data)),
        st.sampled_from(WHOLE),
    )


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """What a command answers in JSON, asked once."""
    folder = tmp_path_factory.mktemp("told")

    def ask(line):
        outcome = run([*line.split(), "--json"], folder)
        assert outcome.status == 0
        return json.loads(outcome.out)

    return ask


# TOML


def toml(value: Any) -> str:
    """Value as TOML writes it; a value without a form in TOML becomes text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    return json.dumps("" if value is None else value).replace("\x7f", "")


@st.composite
def toml_files(draw: Any) -> bytes:
    """TOML of a network, broken, or with some values of kinds that only a file can have."""
    name, *words = draw(network_words(odds=20).filter(lambda words: fits(words, 300)))
    lines = [f"network = {toml(name)}"]
    for word in words:
        key, _, text = word.partition("=")
        given = draw(st.integers(0, 5))
        value = draw(VALUES) if given == 0 else text
        if given > 2 and text.removeprefix("-").isascii() and text.removeprefix("-").isdigit():
            value = int(text[:30])
        lines.append(
            f"{key if key.isidentifier() and key.isascii() else toml(key)} = {toml(value)}"
        )
    order = draw(st.permutations(lines))
    content = "\n".join([*order, ""]).encode(errors="replace")
    return draw(
        st.one_of(st.just(content), broken_bytes(content), st.sampled_from([*WHOLE, content]))
    )


VERBS = ("describe", "check", "draw", "export --edges e.txt", "schedule --permutation identity")


@draws(80, 500)
def test_toml_files_of_networks(count, folders):
    after = st.lists(st.sampled_from(["n=2", "x=3", "data_width=8", *ODD[:30]]), max_size=1)

    def body(drawn):
        content, verb, more = drawn
        folder = folders()
        (folder / "net.toml").write_bytes(content)
        words, options = verb.split()[:1], verb.split()[1:]
        outcome = run([*words, "net.toml", *more, *options], folder)
        check(outcome, failing=words == ["check"])

    hold(count, st.tuples(toml_files(), st.sampled_from(VERBS), after), body)


# JSON and matrices


@draws(40, 300)
def test_json_files_of_permutations(count, folders):
    def body(content):
        folder = folders()
        (folder / "p.json").write_bytes(content)
        for words in (["ccc", "n=2"], ["lcan", "d=2", "u=1", "levels=2"]):
            check(run(["schedule", *words, "--permutation", "p.json"], folder))

    hold(count, contents([2, 0, 3, 1]), body)


@draws(40, 300)
def test_json_files_of_schedules(count, folders, told):
    schedule = told("schedule lcan d=2 u=2 levels=2 --permutation complement")

    def body(content):
        folder = folders()
        (folder / "s.json").write_bytes(content)
        words = ["lcan", "d=2", "u=2", "levels=2", "routing=scheduled"]
        check(run(["simulate", *words, "--schedule", "s.json", "--engine", "model"], folder))

    hold(count, contents(schedule), body)


@draws(40, 300)
def test_files_of_matrices(count, folders):
    legal = b"011\n100\n010\n"
    rows = (
        st.lists(st.text("01", min_size=2, max_size=4), max_size=4).map("\n".join).map(str.encode)
    )
    matrices = st.one_of(st.just(legal), rows, broken_bytes(legal), st.sampled_from(WHOLE))

    def body(drawn):
        content, bits = drawn
        folder = folders()
        (folder / "m.txt").write_bytes(content)
        words = ["hypercube", "n=3", "--permutation", "lc", "--matrix", "m.txt"]
        check(run(["schedule", *words, *bits], folder))

    hold(count, st.tuples(matrices, st.sampled_from([[], ["--complement", "101"]])), body)


SWEEP = "sweep mesh:x=2,y=2 --rates 0.1:0.2:0.1 --measure 100 --results"


@draws(15, 200)
def test_files_of_results(count, folders, in_threads):
    kept = folders() / "kept"
    assert main.run([*SWEEP.split(), str(kept)]) == 0
    head, *rows = kept.read_text().splitlines()
    lines = [json.loads(line) for line in rows]

    def files_like(drawn):
        return "\n".join([head, *(json.dumps(line) for line in drawn), ""]).encode()

    whole = kept.read_bytes()
    data = broken_data(lines).map(
        lambda drawn: files_like(drawn if isinstance(drawn, list) else [])
    )
    strategy = st.one_of(st.just(whole), broken_bytes(whole), data, st.sampled_from(WHOLE))

    def body(content):
        folder = folders()
        (folder / "r").write_bytes(content)
        check(run([*SWEEP.split(), "r"], folder))

    hold(count, strategy, body)


@draws(15, 150)
def test_records_of_bitstreams(count, folders):
    record = {
        "board": "icebreaker",
        "name": "mesh_x2_y2",
        "bitstream": "b.bin",
        "fmax_mhz": 41.5,
        "utilization": {"lut": {"used": 1, "available": 2}},
    }

    def body(drawn):
        content, as_json = drawn
        folder = folders()
        made = folder / "build" / "net"
        made.mkdir(parents=True)
        (made / "b.bin").write_bytes(b"")
        (made / "bitstream.json").write_bytes(content)
        outcome = run(["boards", *as_json], folder)
        check(outcome, as_json=bool(as_json))
        assert outcome.status == 0  # what is no record of ours is passed over

    hold(count, st.tuples(contents(record), st.sampled_from([[], ["--json"]])), body)


# Places


PLACES = {
    "nothing": lambda path: None,
    "folder": lambda path: path.mkdir(),
    "loop": lambda path: path.symlink_to(path.name),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "empty": lambda path: path.touch(),
    "null": lambda path: path.symlink_to("/dev/null"),
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "forbidden": lambda path: (path.write_text("[1, 0]"), path.chmod(0)),
}

READERS = {
    "net.toml": "describe net.toml",
    **{f"g{end}": f"describe graph file=g{end}" for end in GRAPH_FILES},
    "own.py": "describe --plugin own.py ring n=3",
    "table.csv": "describe ring n=3 routing=table table_file=table.csv",
    "r.csv": "describe ring n=3 routing=balanced routing_matrix=r.csv",
    "rates": "simulate ring n=3 --engine model traffic=matrix matrix=rates",
    "t.csv": "simulate ring n=3 --engine model traffic=replay replay=t.csv",
    "m.json": "schedule lcan d=2 u=1 levels=2 --messages m.json",
    "m.csv": "schedule lcan d=2 u=1 levels=2 --messages m.csv",
    "p.json": "schedule ccc n=2 --permutation p.json",
    "m.txt": "schedule hypercube n=3 --permutation lc --matrix m.txt",
    "s.json": "simulate lcan d=2 u=2 levels=2 routing=scheduled --engine model --schedule s.json",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", READERS)
def test_what_stands_in_a_files_place_is_refused(name, place, tmp_path):
    if place == "forbidden" and os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    PLACES[place](Path(tmp_path / name))
    outcome = run(READERS[name].split(), tmp_path)
    check(outcome)
    assert outcome.status == 2
