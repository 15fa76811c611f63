import pytest
import rustworkx
from knotwork_sim.search import run as search_run
from knotwork_sim.verbs.search import AIMS

QUICK = "--effort 30 --starts 1"


REFUSED = {
    "--nodes 8 --degree 2 -o best.txt": "best.txt: a graph must end in .edges, .graphml or .json, "
    "not '.txt'",
    "--nodes 8 --degree 2 --figure best.edges": "best.edges: a figure must end in .svg, .png or "
    ".pdf, not '.edges'",
    "--nodes 8 --degree 2 --traffic rates.csv": "search: --traffic must have a row for each of "
    "the 8 nodes, not 2",
    "--nodes 8 --degree 2 --traffic ragged.csv": "ragged.csv: line 2 must have 2 rates",
    "--nodes 8 --degree 2 --aim hops": "search: --aim must be one of distance, load, not 'hops'",
    "--nodes 4096 --degree 8 --effort 1000000 --limit 1min": "search --nodes 4096 --degree 8 must "
    "stay within 1 min, but takes about",
}


@pytest.mark.parametrize(("words", "line"), REFUSED.items())
def test_what_cannot_be_searched_is_refused(words, line, refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rates.csv").write_text("0 1\n1 0\n")
    (tmp_path / "ragged.csv").write_text("0 1\n1\n")
    assert refusal(f"search {words}").startswith(line)
    assert {path.name for path in tmp_path.iterdir()} == {"rates.csv", "ragged.csv"}


def test_the_table_has_bound_graphs_and_networks(run):
    status, out, _ = run(f"search --nodes 16 --degree 3 {QUICK}")
    assert status == 0
    for name in ("bound", "circulant", "random, swapped", "hypercube:n=4", "torus:x=4,y=4"):
        assert f" {name}" in out
    (cube,) = [line for line in out.splitlines() if "hypercube" in line]
    cells = [cell.strip() for cell in cube.strip("│").split("│")]
    # 16 nodes of degree 4: no 5 are nearer than 4 at 1 hop and 11 at 2.
    assert cells[1:] == ["16", "4", "32", "4", "2.1333", "0.5333", "1.0000", "23.1 %"]
    assert AIMS == search_run.AIMS


def test_the_best_graph_and_a_figure_are_written_and_traffic_names_its_matrix(answer, tmp_path):
    graph, figure = tmp_path / "new" / "best.json", tmp_path / "search.svg"
    found = answer(f"search --nodes 12 --degree 3 {QUICK} -o {graph} --figure {figure}")
    assert found["files"] == [str(graph), str(figure)]
    read = rustworkx.from_node_link_json_file(str(graph))
    assert sorted(map(list, read.edge_list())) == found["best"]["edges"]
    assert figure.read_bytes().startswith(b"<?xml")
    rates = tmp_path / "rates.csv"
    rates.write_text("\n".join(" ".join(str((a * b) % 5) for b in range(8)) for a in range(8)))
    found = answer(f"search --nodes 8 --degree 3 {QUICK} --aim load --traffic {rates}")
    assert found["traffic"].startswith("rates.csv (sha256 ")
    assert {row["nodes"] for row in found["published"]} == {8}
    assert found["best"]["fullest_channel"] == min(row["fullest_channel"] for row in found["found"])


def test_nothing_is_left_where_a_file_cannot_be_written(refusal, tmp_path):
    (tmp_path / "taken.svg").mkdir()
    files = f"-o {tmp_path}/best.edges --figure {tmp_path}/taken.svg"
    refusal(f"search --nodes 8 --degree 3 {QUICK} {files}")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.svg"]
