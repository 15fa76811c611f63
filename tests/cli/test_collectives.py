"""Every verb takes networks whose groups of nodes have collectives, or refuses them in one line."""

import shlex

import click
import pytest
from knotwork.cli import main
from knotwork.cli.command import NetworkArgument

KEYS = "collectives=yes groups=all/0-1 operations=sum,signed_max collective_watchdog=9"
MESH = f"mesh x=2 y=2 {KEYS}"
WORD = f"mesh:x=2,y=2,{KEYS.replace('operations=sum,signed_max ', '').replace(' ', ',')}"
LINES = {
    "networks": ["networks mesh"],
    "describe": [f"describe {MESH}", f"describe {WORD} --cost --json"],
    "compare": [f"compare {WORD} ring:n=4"],
    "route": [f"route {MESH} 0 3"],
    "multicast": [f"multicast hypercube n=2 {KEYS} 0 1 3"],
    "broadcast": [f"broadcast wk w=2 levels=2 {KEYS} 0"],
    "schedule": [f"schedule hypercube n=2 routing=lc1 {KEYS} --permutation reversal"],
    "check": [f"check {MESH}"],
    "generate": [f"generate {WORD} -o made", f"generate {MESH} --testbench -o tested"],
    "draw": [f"draw {MESH}"],
    "export": [f"export {MESH} --edges mesh.txt"],
    "simulate": [f"simulate {MESH} packets=50 --engine model"],
    "sweep": [f"sweep {WORD} --rates 0.1:0.3:0.2 --measure 200"],
    "survive": [f"survive {MESH} --dead 1"],
    "datasheet": [f"datasheet {MESH}", f"datasheet {WORD} ring:n=4 --curve 0.1:0.2:0.1"],
}
"""Lines by verb, each with status 0."""

LONG = {
    "verify": [f"verify {MESH}"],
    "simulate": [f"simulate {MESH} packets=50 --engine both"],
    "bitstream": [f"bitstream mesh x=2 y=1 {KEYS} data_width=16 --board ulx3s_85f"],
    "monitor": [f"monitor simulated {MESH} --windows 1"],
}
"""Lines that build, prove or compile."""


def play(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main.run(shlex.split(line)) == 0
    out, err = capsys.readouterr()
    assert out
    assert err == ""
    return out


def test_every_verb_with_networks_is_here():
    context = click.Context(main.cli, info_name="knotwork")
    verbs = {name: main.cli.get_command(context, name) for name in main.cli.list_commands(context)}
    with_networks = {
        name
        for name, verb in verbs.items()
        if any(isinstance(each, NetworkArgument) for each in verb.params)
    }
    assert with_networks <= {*LINES, *LONG, "collective"}


@pytest.mark.parametrize("line", [line for lines in LINES.values() for line in lines])
def test_a_verb_takes_groups(line, tmp_path, monkeypatch, capsys, in_threads):
    play(line, tmp_path, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for lines in LONG.values() for line in lines])
def test_a_verb_that_builds_takes_groups(line, tmp_path, monkeypatch, capsys):
    play(line, tmp_path, monkeypatch, capsys)
