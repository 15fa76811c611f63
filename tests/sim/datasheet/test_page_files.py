import re

import pytest
from helpers.colour_vision import VISIONS, contrast, nearest
from knotwork.drawing.style import PALETTE
from knotwork_sim.datasheet.page_files import SCRIPTS, page_file


def test_scripts_are_all_there_and_the_one_that_starts_is_last():
    assert len(set(SCRIPTS)) == len(SCRIPTS)
    assert all(page_file(f"scripts/{name}.js").startswith("// ") for name in SCRIPTS)
    assert page_file(f"scripts/{SCRIPTS[-1]}.js").endswith("\nstart();\n")


@pytest.mark.parametrize("vision", VISIONS)
def test_links_of_a_drawing_have_colours_on_dark_paper_that_are_told_apart(vision):
    css = page_file("page.css")
    dark = dict(re.findall(r"--drawn-(\w+): (#\w+);", css))
    assert list(dark) == [colour[1:] for colour in PALETTE]
    assert nearest(list(dark.values()), vision)[0] > 14
    papers = re.findall(r"--paper: (#\w+);", css)
    assert min(contrast(colour, papers[1]) for colour in dark.values()) >= 3
