"""Screens of help: what each has, how wide it is, and that its examples run."""

import shlex

import click
import pytest
from helpers.pages import Command
from knotwork.cli import main
from knotwork.cli.command import NetworkArgument, Verb
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.topology import TOPOLOGIES
from knotwork_sim.sweep.swept_keys import sweep_keys
from knotwork_sim.traffic.keys import Traffic

CONTEXT = click.Context(main.cli, info_name="knotwork")
VERBS = {name: main.cli.get_command(CONTEXT, name) for name in main.cli.list_commands(CONTEXT)}
EXAMPLES = [(name, line) for name, verb in VERBS.items() for line in verb.examples]
WIDTH = 80


def is_slow(line):
    """Whether an example builds a simulator, proves or makes a bitstream."""
    return Command(["knotwork", *shlex.split(line)], "").is_slow and "--engine model" not in line


def screen(verb, option, capsys):
    assert main.run([verb, option]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_and_what_is_written(verb, capsys):
    made = VERBS[verb]
    assert isinstance(made, Verb)
    assert len(made.examples) >= 3
    assert all(line.split()[0] == verb for line in made.examples)
    shown = screen(verb, "--help", capsys)
    assert shown == screen(verb, "-h", capsys)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert {"Options:", "Examples:", "Writes:"} <= set(lines)
    for line in made.examples:
        assert f"  knotwork {line}" in lines


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_with_networks_tells_keys_and_where_the_others_are(verb, capsys):
    has_networks = any(isinstance(each, NetworkArgument) for each in VERBS[verb].params)
    lines = screen(verb, "--help", capsys).splitlines()
    assert ("Networks:" in lines) == has_networks
    if not has_networks:
        return
    text = " ".join(" ".join(lines).split())
    assert "`knotwork networks NAME`" in text
    assert f"Names: {', '.join(TOPOLOGIES)}." in text
    for key, field in ROUTER_PARAMETERS["packet"].keys().items():
        assert f"{key}= {field.metadata['help']}; {field.metadata['kind'].rule}" in text
    assert "data_width= payload bits per flit; an integer in 8..512, default 32" in text


@pytest.mark.parametrize(("verb", "keys"), [("simulate", Traffic.keys), ("sweep", sweep_keys)])
def test_help_of_a_verb_with_traffic_tells_its_keys(verb, keys, capsys):
    text = " ".join(screen(verb, "--help", capsys).partition("\nTraffic:\n")[2].split())
    for key, field in keys().items():
        assert f"{key}= {field.metadata['help']}; {field.metadata['kind'].rule}" in text


def play(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    status = main.run(shlex.split(line))
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    assert out
    return out


@pytest.mark.parametrize(("verb", "line"), [each for each in EXAMPLES if not is_slow(each[1])])
def test_examples_run(verb, line, tmp_path, monkeypatch, capsys):
    if verb in ("monitor", "studio"):  # there is no board here, and nobody ends the page
        VERBS[verb].make_context(verb, shlex.split(line)[1:])
        return
    play(line, tmp_path, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "line"), [each for each in EXAMPLES if is_slow(each[1])])
def test_long_examples_run(verb, line, tmp_path, monkeypatch, capsys):
    del verb
    play(line, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("verb", VERBS)
def test_choices_of_options_suggest_what_was_meant(verb):
    for option in VERBS[verb].params:
        assert type(option.type) is not click.Choice, f"{option.opts[0]}: use options.OneOf"
