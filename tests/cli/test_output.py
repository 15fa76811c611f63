"""Tables: what is printed at once is what rich prints."""

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.cli import output

CELLS = st.text(st.sampled_from("ab0-,÷Möé→ \n"), max_size=9).map(str.strip)


class Screen(io.TextIOWrapper):
    """Standard output that may be a terminal."""

    def __init__(self, *, is_terminal=False, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding)
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


def printed(monkeypatch, draw, *table, **screen):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Screen(**screen))
        result = draw(*table)
        return result, sys.stdout.text()


@st.composite
def tables(draw):
    columns = draw(st.integers(1, 4))
    heads = [draw(CELLS.filter(bool)).replace("\n", "") for _ in range(columns)]
    rows = [[draw(CELLS) for _ in range(columns)] for _ in range(draw(st.integers(1, 4)))]
    return draw(st.sampled_from(["t", "title"])), heads, rows


@given(tables())
def test_a_plain_table_is_that_of_rich(table):
    with pytest.MonkeyPatch.context() as monkeypatch:
        drawn, plain = printed(monkeypatch, output._print_plain, *table)
        _, rich = printed(monkeypatch, output._print_rich, *table)
    assert not drawn or plain == rich
    assert drawn or len(table[0]) > len(rich.splitlines()[-1])


ROW = ("title", ["fact", "value"], [["a", "1"], ["b", "2"]])


@pytest.mark.parametrize(
    ("table", "screen"),
    [
        (("title", ["fact"], [["wide 漢"]]), {}),
        (("title", ["fact"], [["e\u0301"]]), {}),
        (("title", ["fact"], [["\x1b[31m"]]), {}),
        (("title longer than it", ["fact"], [["a"]]), {}),
        (("title", ["fact"], []), {}),
        (ROW, {"encoding": "latin-1"}),
        (("title", ["fact"], [["a" * 200]]), {"is_terminal": True}),
    ],
)
def test_what_rich_must_draw_is_left_to_it(monkeypatch, table, screen):
    monkeypatch.setenv("COLUMNS", "80")
    assert printed(monkeypatch, output._print_plain, *table, **screen) == (False, "")


@pytest.mark.parametrize("name", ["FORCE_COLOR", "TTY_COMPATIBLE"])
def test_settings_of_rich_hold(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert printed(monkeypatch, output._print_plain, *ROW) == (False, "")


def test_a_terminal_has_colors_unless_the_user_wants_none(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, colored = printed(monkeypatch, output._print_plain, *ROW, is_terminal=True)
    assert "\x1b[36m a    \x1b[0m│ 1" in colored
    monkeypatch.setenv("NO_COLOR", "1")
    _, plain = printed(monkeypatch, output._print_plain, *ROW, is_terminal=True)
    assert plain == printed(monkeypatch, output._print_plain, *ROW)[1]
