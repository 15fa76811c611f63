import re

import pytest
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.check.simulate import simulate
from knotwork_sim.rtl import waveform
from knotwork_sim.rtl.waveform import check_trace, whole_trace, write_save_file
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


def signals_of_save_file(text):
    return [line for line in text.splitlines() if re.match(r"\w+\.", line)]


def test_a_waveform_has_every_signal_of_its_save_file(tmp_path):
    network = Network(Hypercube(n=1), buffer_depth=2)
    trace = tmp_path / "run.vcd"
    result = simulate(network, Traffic(packets=20), engine="rtl", trace_file=trace)
    assert result.lost == 0
    assert (result.trace, result.save_file) == (trace, tmp_path / "run.gtkw")
    text = trace.read_text()
    saved = (tmp_path / "run.gtkw").read_text()
    assert f'[dumpfile] "{trace}"' in saved
    shown = signals_of_save_file(saved)
    assert len(shown) == 2 + 2 * (5 + 5 + 1)
    assert set(shown) <= signals_of_vcd(text)
    assert re.search(r"^#1\d{3}", text, re.MULTILINE)  # time went on
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.gtkw", "run.vcd"]


def test_a_save_file_groups_the_signals_by_node(tmp_path):
    network = Network(Moebius(n=3), data_width=72)
    path = write_save_file(network, tmp_path / "a.vcd")
    text = path.read_text()
    assert re.findall(r"^-node (\d+)$", text, re.MULTILINE)[::2] == [
        network.topology.label(node) for node in range(8)
    ]
    for node in range(8):
        assert f"testbench.network.s_axis_{node}_tdata[71:0]\n" in text
        assert f"testbench.network.s_axis_{node}_tdest[2:0]\n" in text
        assert f"testbench.network.m_axis_{node}_tid[2:0]\n" in text
        assert f"testbench.network.refused_{node}\n" in text


@pytest.mark.parametrize(("name", "said"), [("a.xyz", "'.xyz'"), ("a", "''"), ("a.VCD", "'.VCD'")])
def test_other_endings_are_refused(tmp_path, name, said):
    with pytest.raises(ConfigurationError) as refusal:
        check_trace(tmp_path / name)
    path = tmp_path / name
    assert str(refusal.value) == f"{path}: a waveform must end in .vcd or .fst, not {said}"


def test_fst_is_refused_where_its_headers_are_missing(tmp_path, monkeypatch):
    path = tmp_path / "a.fst"
    monkeypatch.setattr(waveform, "_compiles", lambda *headers: False)
    with pytest.raises(ConfigurationError) as refusal:
        check_trace(path)
    assert str(refusal.value) == (
        f"{path}: .fst must have the headers of lz4 and zlib (Debian: apt install liblz4-dev "
        "zlib1g-dev); .vcd needs neither"
    )
    monkeypatch.setattr(waveform, "_compiles", lambda *headers: True)
    assert check_trace(path) == "fst"


def test_headers_are_looked_for_with_the_compiler(monkeypatch):
    assert waveform._compiles("cstdio")
    assert not waveform._compiles("cstdio", "no_such_header.h")
    monkeypatch.setenv("PATH", "")
    assert not waveform._compiles("cstdio")


def test_a_trace_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "a.vcd"
    with whole_trace(path) as partial:
        partial.write_text("half")
        assert not path.exists()
        partial.write_text("whole")
    assert path.read_text() == "whole"
    with pytest.raises(RuntimeError, match="died"), whole_trace(path) as partial:
        partial.write_text("half")
        raise RuntimeError("died")
    assert path.read_text() == "whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.vcd"]


def test_a_folder_that_cannot_be_written_is_told_before_the_run(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigurationError, match=r"the file must be writable: .* is not a folder$"),
        whole_trace(tmp_path / "file" / "a.vcd"),
    ):
        pytest.fail("the run must not begin")
