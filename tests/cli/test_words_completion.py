import pytest
from knotwork.cli.words_completion import complete_words
from knotwork.parameters import Choice, parameter
from knotwork.routing import all_routings_of
from knotwork.routing.network_keys import all_network_keys
from knotwork.topology import TOPOLOGIES

OWN = {
    "rate": parameter(Choice(("low", "high")), help="", default="low"),
    "seed": parameter(Choice(()), help="", default=""),
}

ROUT = ("routing=", "router=", "routing_seed=", "routing_matrix=")
"""Keys that begin with ``ro``."""


def keys(name):
    return [f"{key}=" for key in all_network_keys(name)]


@pytest.mark.parametrize(
    ("before", "incomplete", "words"),
    [
        ("", "", [*TOPOLOGIES, "rate=", "seed="]),
        ("", "hyp", ["hypercube", "hypercube:"]),
        ("", "t", ["trac", "tcpg", "torus"]),
        ("", "xyzzy", []),
        ("hypercube", "", [*keys("hypercube"), "rate=", "seed="]),
        ("hypercube n=3", "n", ["nodes_per_router=", "name="]),
        ("hypercube:n=3", "n", ["nodes_per_router=", "name="]),
        ("hypercube rate=low", "ro", [*ROUT]),
        ("hypercube", "routing=", [f"routing={name}" for name in all_routings_of("hypercube")]),
        ("moebius n=3", "routing=s", [f"routing={way}" for way in ("spr", "set_spr", "shortest")]),
        ("moebius", "twist=", ["twist=0", "twist=1"]),
        ("moebius", "parity=y", ["parity=yes"]),
        ("moebius", "n=", []),
        ("moebius", "rate=h", ["rate=high"]),
        ("xyzzy", "", ["rate=", "seed="]),
        ("", "hypercube:", [f"hypercube:{key}" for key in keys("hypercube")]),
        ("", "hypercube:n=3,ro", [f"hypercube:n=3,{key}" for key in ROUT]),
        ("", "hypercube:routing=l", ["hypercube:routing=lc1"]),
        (
            "",
            "hypercube:n=3,routing=ecube,n",
            [f"hypercube:n=3,routing=ecube,{key}=" for key in ("nodes_per_router", "name")],
        ),
        ("", "xyzzy:", []),
    ],
)
def test_words_that_may_follow(before, incomplete, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = OWN if before or not incomplete else {}
    assert complete_words(before.split(), incomplete, own) == words


def test_a_further_network_follows_where_a_verb_takes_several(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = complete_words(["hypercube", "n=3"], "", {}, several=True)
    assert set(TOPOLOGIES) < set(found)
    keys = ["n=", "nodes_per_router=", "name="]
    assert complete_words(["mesh", "x=3", "hypercube"], "n", {}, several=True) == keys


def test_files_are_offered_and_their_keys_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "my.toml").write_text('network = "moebius"\nn = 3\n')
    (tmp_path / "a.toml").write_text("broken")
    assert "a.toml" in complete_words([], "", {})
    assert complete_words([], "./n", {}) == ["./nets/"]
    assert complete_words([], "nets/", {}) == ["nets/my.toml"]
    assert complete_words(["nets/my.toml"], "tw", {}) == ["twist="]
    assert complete_words(["a.toml"], "tw", {}) == []
