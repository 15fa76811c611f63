"""The lines of Verilog that a page explains are those of the file."""

import re
from pathlib import Path

from helpers.emitted import verilog_of

PAGE = Path(__file__).parents[2] / "hdl" / "docs" / "verilog.md"
ROW = re.compile(r"^\| (\d+) \| `(.+?)` \|", re.MULTILINE)


def test_the_lines_that_the_page_names_are_those_of_the_file():
    section = PAGE.read_text().split("## Two questions")[1].split("\n## ")[0]
    (word,) = re.findall(r"`knotwork generate (\w+) ([^`]*)`", section)
    _, text = verilog_of(f"{word[0]}:{word[1].replace(' ', ',')}")
    lines = text.split("\n")
    rows = ROW.findall(section)
    assert len(rows) == 10
    named = {int(number): code.replace("\\|", "|") for number, code in rows}
    assert named == {number: lines[number - 1].strip() for number in named}
