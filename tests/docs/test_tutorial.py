"""The tutorial: what it shows below a session is what the session's last command prints."""

import re
from itertools import pairwise

import pytest
from helpers.pages import Page
from knotwork.cli.main import run

TUTORIAL = Page("hdl/docs/tutorial.md")
BLOCKS = TUTORIAL.blocks
SHOWN = [
    pytest.param(session, text, marks=pytest.mark.slow if command.is_slow else (), id=str(session))
    for session, text in pairwise(BLOCKS)
    if (session.language, text.language) == ("sh", "text")
    for command in session.commands[-1:]
]


def lines(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def printed(command, folder, monkeypatch, capsys):
    """Lines that a command prints on a terminal of 80 columns."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    assert run(command.words[1:]) == command.status
    return lines(capsys.readouterr().out)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("session", "text"), SHOWN)
def test_what_is_shown_is_what_is_printed(session, text, tmp_path, monkeypatch, capsys):
    assert printed(session.commands[-1], tmp_path, monkeypatch, capsys) == lines(text.text)


def test_every_text_is_compared_and_the_page_is_short():
    assert len(SHOWN) == len(TUTORIAL.of("text")) == 3
    assert len(TUTORIAL.text.splitlines()) <= 150


def test_the_same_network_goes_all_the_way():
    nets = re.findall(r"(moebius n=2[^\n]*?buffer_depth=2)", TUTORIAL.text)
    assert len(nets) == 8
    assert len(set(nets)) == 1
