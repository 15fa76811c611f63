""""""

import time

import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.files import PacketList

HEAD = "cycle,source,destination,length\n"
NODE = "must be an integer in 0..2147483647"
CYCLE = "must be an integer in 0..1099511627776"
ROW = "must be (cycle, source, destination, length)"


def written(folder, text):
    file = folder / "run.csv"
    file.write_text(text)
    return file


def rows(listed):
    return np.stack([listed.cycle, listed.source, listed.destination, listed.length], 1).tolist()


def test_columns_may_come_in_any_order_and_lines_be_blank(tmp_path):
    text = "\ufeffLength, destination ,cycle,source\n4,1,10,0\n\n1, 0 ,3,2\n"
    listed = PacketList.read(written(tmp_path, text))
    assert rows(listed) == [[10, 0, 1, 4], [3, 2, 0, 1]]
    assert listed.lines.tolist() == [2, 4]


def test_broadcasts_and_multicasts_have_columns_of_their_own(tmp_path):
    text = f"{HEAD.strip()},broadcast,multicast\n1,0,,2,1,\n2,3,,1,,5 4\n3,1,2,1,0,\n"
    listed = PacketList.read(written(tmp_path, text))
    assert listed.broadcast.tolist() == [True, False, False]
    assert listed.members == {1: (5, 4)}
    assert listed.destination.tolist() == [-1, -1, 2]
    again = PacketList.read(written(tmp_path, listed.text()))
    assert (rows(again), again.members) == (rows(listed), listed.members)
    assert again.broadcast.tolist() == listed.broadcast.tolist()
    assert again.digest == listed.digest


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", f"line 1 must name the columns {HEAD.strip()}, not be missing"),
        (HEAD, "packets must be at least one, not none"),
        ("0,1,2,1\n", "line 1 must name the columns cycle,source,destination,length, and may name "
         "broadcast,multicast, not '0,1,2,1'"),
        (HEAD + "0,1,2\n", "line 2 must have 4 fields, not 3"),
        (HEAD + "0,1,2,1\n\n0,x,2,1\n", f"line 4: source {NODE}, not 'x'"),
        (HEAD + "0,1,2,0\n", "line 2: length must be an integer in 1..4096, not '0'"),
        (HEAD + "-1,1,2,1\n", f"line 2: cycle {CYCLE}, not '-1'"),
        *((HEAD + f"{text},1,2,1\n", f"line 2: cycle {CYCLE}, not {text!r}")
          for text in ("+2", "1_0", "\u0663")),
        (HEAD + "1e3,1,2,1\n", f"line 2: cycle {CYCLE}, not '1e3'"),
        (HEAD + "9" * 30 + ",1,2,1\n", f"line 2: cycle {CYCLE}, not '{'9' * 30}'"),
        (HEAD + "0,1,,1\n", f"line 2: destination {NODE}, not ''"),
        (HEAD.strip() + ",broadcast\n0,1,2,1,1\n",
         "line 2: a packet must have one of destination, broadcast and multicast, not several"),
        (HEAD.strip() + ",multicast\n0,1,,1,2 x\n", f"line 2: multicast {NODE}, not 'x'"),
        (HEAD.strip() + ",broadcast\n0,1,,1,2\n",
         "line 2: broadcast must be an integer in 0..1, not '2'"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_packet_is_refused_by_its_number(tmp_path, text, complaint):
    with refuses(f"run.csv: {complaint}"):
        PacketList.read(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"^[^\n]*none.csv: must be a readable CSV file"):
        PacketList.read(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="must be a readable CSV file"):
        PacketList.read(tmp_path / "bytes.csv")


def test_a_program_gives_rows_columns_arrays_or_a_generator():
    expected = [[0, 1, 2, 1], [5, 0, 3, 1]]
    lists = [
        [(0, 1, 2), (5, 0, 3, 1)],
        ((cycle, source, to) for cycle, source, to, _ in expected),
        np.array(expected),
        {"cycle": [0, 5], "source": [1, 0], "destination": [2, 3]},
        {"cycle": [0.0, 5.0], "source": [1, 0], "destination": [2.0, 3.0], "length": [1, 1]},
    ]
    for packets in lists:
        assert rows(PacketList.of(packets)) == expected
    several = PacketList.of([(0, 1, None, 2), (0, 2, [3, 4])])
    assert (several.broadcast.tolist(), several.members) == ([True, False], {1: (3, 4)})
    assert PacketList.of(several) is several


@pytest.mark.parametrize(
    ("packets", "complaint"),
    [
        ([], "packets must be at least one, not none"),
        ([(0, 1, 2), (0, 1)], f"packet 1 {ROW}, not (0, 1)"),
        ([(0, 1, 2), 7], f"packet 1 {ROW}, not 7"),
        ([(0, 1.5, 2)], f"packet 0: source {NODE}, not 1.5"),
        ([(0, True, 2)], f"packet 0: source {NODE}, not True"),
        ({"cycle": [1], "source": [2]},
         "packets must have the columns cycle, source, destination, length, not lack destination"),
        ({"cycle": [1], "source": [2, 3], "destination": [0]},
         "the columns of packets must be of one length"),
    ],
)  # fmt: skip
def test_what_a_program_gives_is_checked_too(packets, complaint):
    with refuses(f"traffic: {complaint}"):
        PacketList.of(packets)


NUMBER = st.integers(0, 10**9)


@given(st.lists(st.tuples(NUMBER, NUMBER, NUMBER, st.integers(1, 4096)), min_size=1, max_size=50))
def test_what_is_written_is_read_again(tmp_path_factory, packets):
    file = written(tmp_path_factory.getbasetemp(), PacketList.of(packets).text())
    assert rows(PacketList.read(file)) == [list(packet) for packet in packets]


def test_a_hundred_thousand_packets_are_read_in_a_moment(tmp_path):
    count = np.arange(100_000)
    listed = PacketList.of(np.stack([count, count % 64, count * 7 % 64, 1 + count % 8], 1))
    file = written(tmp_path, listed.text())
    start = time.process_time()
    again = PacketList.read(file)
    assert time.process_time() - start < 3  # 0.4 s on an idle machine
    assert rows(again) == rows(listed)
