import pytest
from knotwork_sim.studio.server import open_port


def test_the_address_is_told_and_the_studio_ends_when_idle(answer, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    told = answer("studio --no-browser --idle 0.2")
    assert set(told) == {"address", "browser"}
    assert told["address"].startswith("http://127.0.0.1:")
    assert len(told["address"].partition("/#")[2]) >= 32
    assert told["browser"] is False
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("knotwork_sim.studio.server.open_browser", lambda _: False)
    status, out, _ = run("studio --idle 0.2")
    assert status == 0
    assert out.endswith("  (no browser was found: open it in one)\n")


@pytest.mark.parametrize("idle", ["0", "-1", "nan", "inf"])
def test_what_is_no_time_is_refused(refusal, idle):
    told = refusal(f"studio --no-browser --idle {idle}")
    rule = f"seconds above 0, not {idle}" if idle in ("0", "-1") else f"a number, not {idle!r}"
    assert told == f"studio: --idle must be {rule}"


def test_a_port_in_use_is_refused(refusal):
    with open_port(0) as taken:
        port = taken.getsockname()[1]
        line = (
            f"studio: --port must be a free port of 127.0.0.1, not {port}: address already in use"
        )
        assert refusal(f"studio --no-browser --idle 1 --port {port}") == line
