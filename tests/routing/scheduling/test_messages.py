"""Message sets in files, and drawn ones."""

from collections import Counter

import numpy as np
import pytest
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.messages import random_routing, read_messages

PAIRS = [(3, 1), (3, 0), (0, 3), (3, 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", "[[3, 1], [3, 0], [0, 3], [3, 1]]"),
        ("m", "[[3, 1], [3, 0], [0, 3], [3, 1]]"),
        ("m.csv", "3,1\n3, 0\n\n0,3\n3,1\n"),
        ("M.CSV", "\ufeffsource,destination\n3,1\n3,0\n0,3\n3,1\n"),
        ("m.csv", "cycle,destination,length,source\n0,1,4,3\n0,0,4,3\n5,3,1,0\n9,1,1,3"),
    ],
)
def test_all_forms_of_a_file_read_alike(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_messages(tmp_path / name, 4)
    assert list(zip(*(part.tolist() for part in found), strict=True)) == PAIRS


INDEX = "must be an index in 0..3, not"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("m.json", "[]", "there must be a message, not none at all"),
        ("m.csv", "source,destination\n", "there must be a message, not none at all"),
        ("m.json", "{}", "messages must be a list of [source, destination], not {}"),
        ("m.json", "[[0, 1], 3]", "message 1 must be [source, destination], not 3"),
        ("m.json", "[[0, 1, 2]]", "message 0 must be [source, destination], not [0, 1, 2]"),
        ("m.json", "[[0, 4]]", f"message 0: the destination {INDEX} 4"),
        ("m.json", "[[0, 1], [-1, 2]]", f"message 1: the source {INDEX} -1"),
        ("m.json", '[["0", 1]]', f"message 0: the source {INDEX} '0'"),
        ("m.json", "[[1.0, 1]]", f"message 0: the source {INDEX} 1.0"),
        ("m.json", "[[true, 1]]", f"message 0: the source {INDEX} True"),
        ("m.csv", "0,1\n\n0,4\n", f"line 3: the destination {INDEX} 4"),
        ("m.csv", "0,1\n0,+2\n", f"line 2: the destination {INDEX} '+2'"),
        ("m.csv", "0,1\n2\n", "line 2 must have a source and a destination, not 2"),
        ("m.csv", "from,to\n2,3\n", "the columns must be source and destination, not from,to"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(refused, tmp_path, name, text, complaint):
    (tmp_path / name).write_text(text)
    assert refused(lambda: read_messages(tmp_path / name, 4)) == f"{tmp_path / name}: {complaint}"


@pytest.mark.parametrize("name", ["m.json", "m.csv"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    kind = name.rpartition(".")[2].upper()
    with pytest.raises(ConfigurationError, match=f"must be a readable {kind} file"):
        read_messages(tmp_path / name, 4)
    with pytest.raises(ConfigurationError, match=f"must be a readable {kind} file"):
        read_messages(tmp_path / f"no_{name}", 4)


def test_random_routing_draws_every_destination_alike():
    counts = Counter()
    for seed in range(400):
        sources, destinations = random_routing(4, np.random.default_rng(seed))
        assert sources.tolist() == [0, 1, 2, 3]
        counts.update(zip(sources.tolist(), destinations.tolist(), strict=True))
    assert set(counts) == {(s, t) for s in range(4) for t in range(4)}
    assert all(60 < count < 140 for count in counts.values())
