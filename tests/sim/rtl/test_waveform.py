import re

import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.check.simulate import simulate
from knotwork_sim.rtl import waveform
from knotwork_sim.rtl.waveform import check_trace, complete_trace, write_save_file
from knotwork_sim.traffic.keys import Traffic


def signals_of_vcd(text):
    """Full names of a VCD's signals, with their bits as GTKWave writes them."""
    scopes, names = [], set()
    for line in text.split("$enddefinitions")[0].splitlines():
        words = line.split()
        match words[0] if words else "":
            case "$scope":
                scopes.append(words[2])
            case "$upscope":
                scopes.pop()
            case "$var":
                names.add(".".join([*scopes, "".join(words[4:-1])]))
    return names


def groups_of_save_file(text):
    """Lines of each group, by the path of the group's names; a group's line ends it, too."""
    path, groups = [], {}
    for line in text.splitlines():
        if line.startswith("-"):
            if path and path[-1] == line[1:]:
                path.pop()
            else:
                path.append(line[1:])
        elif path and not line.startswith("@"):
            groups.setdefault(tuple(path), []).append(line)
    return groups


def slices_of(lines, wire):
    """Fields that are slices of a wire, as (high, low), by name; GTKWave's bit 0 is the highest."""
    fields = {}
    for line in lines:
        named = re.fullmatch(r"[#+]\{(\w+)(?:\[(\d+):0\])?\} (.*)", line)
        if named:
            bits = [re.fullmatch(r"\((\d+)\)(.*)", bit).groups() for bit in named[3].split()]
            assert {of for _, of in bits} == {wire}
            width = int(re.search(r"\[(\d+):0\]$", wire)[1]) + 1
            places = [width - 1 - int(place) for place, _ in bits]
            assert places == list(range(places[0], places[-1] - 1, -1))
            assert len(places) == int(named[2] or 0) + 1
            fields[named[1]] = (places[0], places[-1])
    return fields


def test_a_waveform_has_every_signal_of_its_save_file(tmp_path):
    network = Network(Hypercube(n=1), buffer_depth=2, data_width=8)
    trace = tmp_path / "run.vcd"
    result = simulate(network, Traffic(packets=20), engine="rtl", trace_file=trace)
    assert result.lost == 0
    assert (result.trace, result.save_file) == (trace, tmp_path / "run.gtkw")
    text = trace.read_text()
    saved = (tmp_path / "run.gtkw").read_text()
    assert f'[dumpfile] "{trace}"' in saved
    assert re.search(r"^\*-17\.0", saved, re.MULTILINE), "about 50 cycles are seen"
    shown = re.findall(r"^\w+\..*$", saved, re.MULTILINE)
    assert len(shown) == 2 + 2 * (5 + 5 + 1) + 2 * (3 + 3)
    assert set(shown) <= signals_of_vcd(text)
    sliced = re.findall(r"\(\d+\)(\S+)", saved)
    assert len(sliced) == 2 * 2 * (8 + 1 + 1 + 1)
    assert set(sliced) <= signals_of_vcd(text)
    inside = "testbench.network.router_0"
    scopes = {name.rpartition(".")[0] for name in signals_of_vcd(text)}
    assert {inside, f"{inside}.input_dim0.buffer", f"{inside}.output_dim0"} <= scopes
    assert re.search(r"^#1\d{3}", text, re.MULTILINE)  # time went on
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.gtkw", "run.vcd"]


def test_signals_are_grouped_by_node_and_flits_shown_by_their_fields(tmp_path):
    """The places are those that `flit_layout` has documented: data, last, destination, source."""
    network = Network(Moebius(n=3), data_width=72)
    text = write_save_file(network, tmp_path / "a.vcd").read_text()
    labels = [network.topology.label(node) for node in range(8)]
    assert re.findall(r"^-node (\d+)$", text, re.MULTILINE)[::2] == labels
    for node in range(8):
        for port in ("s_axis_%d_tdata[71:0]", "s_axis_%d_tdest[2:0]", "m_axis_%d_tid[2:0]"):
            assert f"testbench.network.{port % node}\n" in text
        assert f"testbench.network.refused_{node}\n" in text
    groups = groups_of_save_file(text)
    assert [path for path in groups if path[0] == "router 101"] == [
        ("router 101", f"dim{dimension} {way}") for dimension in range(3) for way in ("in", "out")
    ]
    for way in ("in", "out"):
        lines = groups["router 101", f"dim2 {way}"]
        link = f"testbench.network.router_101.dim2_{way[0]}"
        wire = f"{link}_flit[78:0]"
        assert lines[:2] == [f"{link}_valid", wire]
        assert lines[-1] == f"{link}_credit"
        assert slices_of(lines, wire) == {
            "data": (71, 0),
            "last": (72, 72),
            "destination": (75, 73),
            "source": (78, 76),
        }


@pytest.mark.parametrize(
    ("word", "wire", "fields"),
    [
        (
            "hypercube:n=2,parity=yes",
            "router_00.dim0_o_flit[41:0]",
            "data last destination source data_parity header_parity last_copies wrong",
        ),
        ("ccc:n=3,routing=lc2,words=2", "router_000.F_o_message[37:0]", "data destination source"),
        (
            "hypercube:n=3,router=deflection",
            "router_000.dim0_o_packet[39:0]",
            "data destination source phase first",
        ),
    ],
)
def test_links_of_every_router_class_are_shown_by_field(tmp_path, word, wire, fields):
    text = write_save_file(Network.from_word(word), tmp_path / "a.vcd").read_text()
    path = f"testbench.network.{wire}"
    (lines,) = [group for group in groups_of_save_file(text).values() if path in group]
    assert list(slices_of(lines, path)) == fields.split()


def test_links_of_circuits_are_shown_as_they_are(tmp_path):
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    groups = groups_of_save_file(write_save_file(network, tmp_path / "a.vcd").read_text())
    links = [lines for path, lines in groups.items() if len(path) == 2]
    assert links
    for lines in links:
        fields = [re.sub(r".*_", "", line) for line in lines]
        assert fields == ["kind[1:0]", "data[31:0]", "back"]


@pytest.mark.parametrize(("n", "groups"), [(6, 64), (7, 0)])
def test_links_of_large_networks_are_left_out(tmp_path, n, groups):
    text = write_save_file(Network(Hypercube(n=n)), tmp_path / "a.vcd").read_text()
    assert len(re.findall(r"^-router \w+$", text, re.MULTILINE)) == 2 * groups
    assert len(text) < 3_000_000


@pytest.mark.parametrize(("name", "said"), [("a.xyz", "'.xyz'"), ("a", "''"), ("a.VCD", "'.VCD'")])
def test_other_endings_are_refused(tmp_path, name, said):
    path = tmp_path / name
    with refuses(f"{path}: a waveform must end in .vcd or .fst, not {said}"):
        check_trace(path)


def test_fst_is_refused_where_its_headers_are_missing(tmp_path, monkeypatch):
    path = tmp_path / "a.fst"
    monkeypatch.setattr(waveform, "_compiles", lambda *headers: False)
    with refuses(
        f"{path}: .fst must have the headers of lz4 and zlib (Debian: apt install liblz4-dev "
        "zlib1g-dev); .vcd needs neither"
    ):
        check_trace(path)
    monkeypatch.setattr(waveform, "_compiles", lambda *headers: True)
    assert check_trace(path) == "fst"


def test_headers_are_looked_for_with_the_compiler(monkeypatch):
    assert waveform._compiles("cstdio")
    assert not waveform._compiles("cstdio", "no_such_header.h")
    monkeypatch.setenv("PATH", "")
    assert not waveform._compiles("cstdio")


def test_a_trace_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "a.vcd"
    with complete_trace(path) as partial:
        partial.write_text("half")
        assert not path.exists()
        partial.write_text("whole")
    assert path.read_text() == "whole"
    with pytest.raises(RuntimeError, match="died"), complete_trace(path) as partial:
        partial.write_text("half")
        raise RuntimeError("died")
    assert path.read_text() == "whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.vcd"]
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigurationError, match=r"the file must be writable: .* is not a folder$"),
        complete_trace(tmp_path / "file" / "a.vcd"),
    ):
        pytest.fail("the run must not begin")
