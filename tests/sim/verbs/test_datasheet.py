import pytest


def test_a_page_is_written_and_told(answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = answer("datasheet hypercube n=2 ring n=3")
    assert told["file"].endswith(".html")
    page = (tmp_path / told["file"]).read_bytes()
    assert len(page) == told["bytes"] < 2_000_000
    assert b"knotwork datasheet hypercube n=2 ring n=3 -o build/" in page


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("hypercube n=2 -o page.svg", "datasheet: FILE must end in .html, not 'page.svg'"),
        ("hypercube n=2 --curve fast", "sweep: --curve must be FIRST:LAST:STEP, or loads, "),
        ("ring n=4 ring n=4", "networks must have different names, not ring_n4 twice"),
        ("hypercube n=2 -o /dev/null/x.html", "/dev/null/x.html: the file must be writable: /dev"),
        ("hypercube n=7 --live", "live: hypercube_n7 must have at most 64 routers, not 128"),
        ("hypercube n=3 --limit 1s", "datasheet hypercube_n3 must stay within 1 s, but takes "),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(refusal, words, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(f"datasheet {words}").startswith(line)
    assert list(tmp_path.iterdir()) == []
