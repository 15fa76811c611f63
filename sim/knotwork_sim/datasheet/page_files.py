"""Files of the datasheet's page: styles, and scripts in the order in which they are read."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

SCRIPTS = (
    *("dom", "graph", "routes", "view", "shape", "canvas", "picture"),
    *("route_panel", "player", "meter", "heat", "live_panel"),
    *("ports_panel", "curve", "sheet", "theme", "main"),
)
"""Scripts of the page, each after those that it uses as it is read."""


@cache
def page_file(name: str) -> str:
    """Text of a file of the page."""
    return Path(__file__).with_name("page").joinpath(name).read_text(encoding="utf-8")


def filled_page(parts: Mapping[str, str]) -> str:
    """Page whose places have these texts.

    The places are its ``title``, ``what`` it is, its ``style``, ``data`` and ``script``. What a
    text contains is no place.
    """
    head, *rest = page_file("page.html").split("{{")
    filled = [head]
    for piece in rest:
        name, _, text = piece.partition("}}")
        filled += [parts[name], text]
    return "".join(filled)
