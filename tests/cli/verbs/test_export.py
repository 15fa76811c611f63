"""Verb export: several files at once, and what it refuses."""

from knotwork import Network
from knotwork.drawing.graph_files.topologies import anynet, edges, graphml


def test_several_files_are_written_at_once(run, tmp_path):
    files = {name: tmp_path / name / "file" for name in ("anynet", "graphml", "edges")}
    words = " ".join(f"--{name} {file}" for name, file in files.items())
    assert run(f"export hypercube n=3 {words}") == (
        0,
        "".join(f"{f}\n" for f in files.values()),
        "",
    )
    network = Network.from_word("hypercube:n=3")
    assert files["anynet"].read_text() == anynet(network)
    assert files["graphml"].read_text() == graphml(network)
    assert files["edges"].read_text() == edges(network)


def test_nothing_is_written_where_one_cannot_be(refusal, tmp_path):
    line = f"export torus x=2 y=3 --edges {tmp_path / 'a'} --anynet {tmp_path / 'b'}"
    assert refusal(line).startswith("torus_x2_y3: --anynet must have")
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_one_line(refusal, tmp_path):
    assert refusal("export hypercube n=3") == (
        "export: a file must be named with --anynet, --graphml, --node-link or --edges"
    )
    file = tmp_path / "a"
    assert refusal(f"export hypercube n=3 --edges {file} --anynet {file}") == (
        "export: the files must have different names"
    )
    assert "n must be given" in refusal(f"export hypercube --edges {file}")
