"""Completion as shells request it; each shell that is installed is one of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from knotwork.cli import main
from knotwork.cli.shells import SHELLS, script
from knotwork.cli.verbs import completion
from knotwork.cli.words_completion import complete_words
from knotwork.parameters import Choice, parameter
from knotwork.routing import all_routings_of
from knotwork.routing.network_keys import all_network_keys
from knotwork.topology import TOPOLOGIES
from knotwork_boards.table import BOARDS

ROUT = ("routing=", "router=", "routing_seed=", "routing_matrix=")
SHORTEST = ("spr", "set_spr", "shortest")


@pytest.fixture
def asked(monkeypatch, capsys, tmp_path):
    """Asks as bash does, up to the cursor, and gives the answers by their kinds."""
    monkeypatch.chdir(tmp_path)

    def ask(line, shell="bash"):
        monkeypatch.setenv("_KNOTWORK_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_LINE", line)
        monkeypatch.setenv("COMP_BREAKS", " \t\n\"'><=;|&(:")
        with pytest.raises(SystemExit) as end:  # click ends the process
            main.run([])
        assert end.value.code == 0
        return [answer.split(",", 1) for answer in capsys.readouterr().out.splitlines() if answer]

    return ask


@pytest.mark.parametrize(
    ("line", "answers"),
    {
        "knotwork descr": [["plain", "describe"]],
        "knotwork describe --rou": [["plain", "--routing"]],
        "knotwork describe hyp": [["plain", "hypercube"], ["open", "hypercube:"]],
        "knotwork describe hypercube:n=3,routing=": [
            ["plain", name] for name in all_routings_of("hypercube")
        ],
        "knotwork describe moebius n=3 routing=s": [["plain", way] for way in SHORTEST],
        "knotwork simulate hypercube n=3 traffic=transp": [["plain", "transpose"]],
        "knotwork simulate --engine m": [["plain", "model"]],
        "knotwork bitstream hypercube n=3 --board iceb": [["plain", "icebreaker"]],
        "knotwork completion z": [["plain", "zsh"]],
        "knotwork descibe moe": [],
        "knotwork describe 'hyper": [],  # an open quote is no word yet
    }.items(),
)
def test_a_line_is_completed(asked, line, answers):
    assert asked(line) == answers


def test_names_boards_and_words_are_complete(asked):
    assert [word for _, word in asked("knotwork networks ")] == list(TOPOLOGIES)
    assert [word for _, word in asked("knotwork boards ")] == list(BOARDS)
    assert asked("knotwork describe hypercube:routing=l", shell="zsh") == [
        ["plain", "hypercube:routing=lc1"]
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_verb_prints_the_script(shell, capsys):
    assert main.run(["completion", shell]) == 0
    assert capsys.readouterr().out.strip() == script(shell).strip()
    assert f"{shell}_complete" in script(shell)
    assert set(SHELLS) == set(completion._SHELLS)


def in_a_shell(command, tmp_path):
    """What a shell prints, with the command under test on its path."""
    program = tmp_path / "knotwork"
    program.write_text(
        f"#!{sys.executable}\nfrom knotwork.cli.entry import main\nif __name__ == '__main__':\n"
        "    main()\n"
    )
    program.chmod(0o755)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    return done.stdout.splitlines()


LINES = {
    "knotwork descr": ["describe"],
    "knotwork describe hypercube:routing=": [*all_routings_of("hypercube")],
    "knotwork describe moebius tw": ["twist="],
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(tmp_path):
    ask = "".join(
        f"COMP_LINE='{line}'; COMP_POINT={len(line)}; _knotwork_completion knotwork; "
        "printf '%s|' \"${COMPREPLY[@]}\"; echo; "
        for line in LINES
    )
    told = in_a_shell(["bash", "-c", f'eval "$(knotwork completion bash)"; {ask}'], tmp_path)
    expected = [
        "".join(f"{word}|" if word.endswith("=") else f"{word} |" for word in words)
        for words in LINES.values()
    ]
    assert told == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(tmp_path):
    ask = "; ".join(f"complete -C '{line}'; echo" for line in LINES)
    told = in_a_shell(["fish", "-c", f"knotwork completion fish | source; {ask}"], tmp_path)
    words = " ".join(told).split()
    for line, whole in LINES.items():
        head = line.split()[-1] if ":" in line else ""
        assert {f"{head}{word}" for word in whole} <= set(words)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(tmp_path):
    """The line editor is replaced by what tells each word that the script offers."""
    offer = "compadd() { while [[ $1 == -* ]]; do case $1 in (-S|-V) shift 2;; (-a) shift; "
    offer += "print -r -- ${(P)1}; return;; (*) shift;; esac; done }; compdef() { : }; "
    ask = "".join(
        f"words=({line} ''); words=(${{(s: :)line}}); ".replace("${(s: :)line}", line)
        + f"CURRENT={len(line.split())}; _knotwork_completion; "
        for line in LINES
    )
    command = f'{offer} eval "$(knotwork completion zsh)"; {ask}'
    told = " ".join(in_a_shell(["zsh", "-f", "-c", command], tmp_path)).split()
    for line, whole in LINES.items():
        head = line.split()[-1] if ":" in line else ""
        assert {f"{head}{word}" for word in whole} <= set(told)


OWN = {
    "rate": parameter(Choice(("low", "high")), help="", default="low"),
    "seed": parameter(Choice(()), help="", default=""),
}

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


def test_further_networks_and_files_follow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = complete_words(["hypercube", "n=3"], "", {}, several=True)
    assert set(TOPOLOGIES) < set(found)
    keys = ["n=", "nodes_per_router=", "name="]
    assert complete_words(["mesh", "x=3", "hypercube"], "n", {}, several=True) == keys
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "my.toml").write_text('network = "moebius"\nn = 3\n')
    (tmp_path / "a.toml").write_text("broken")
    assert "a.toml" in complete_words([], "", {})
    assert complete_words([], "./n", {}) == ["./nets/"]
    assert complete_words([], "nets/", {}) == ["nets/my.toml"]
    assert complete_words(["nets/my.toml"], "tw", {}) == ["twist="]
    assert complete_words(["a.toml"], "tw", {}) == []
