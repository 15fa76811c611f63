"""Verb networks: its tables."""


def test_a_key_that_all_routings_share_has_one_row(run):
    _, out, _ = run("networks")
    for words in ("flits of the longest broadcast", "by which the routers branch"):
        rows = [line for line in out.splitlines() if words in line]
        assert len(rows) == 2  # wk, tcpg
        assert not any("(routing=" in row for row in rows)
