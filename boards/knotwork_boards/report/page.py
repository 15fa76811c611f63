"""The report as a page that needs no other file, and as data."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..untyped import JsonObject
from .critical_path import CriticalPath, clock_words

_STYLE = """
body { font: 15px/1.5 "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; color: #1b1f24;
  max-width: 72em; margin: 2em auto; padding: 0 1.5em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 0.88em; margin: 0.8em 0; }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #d8dee4; text-align: right; }
th:first-child, td:first-child { text-align: left; }
th { color: #57606a; font-weight: 600; } img { max-width: 100%; height: auto; }
p.path { border-left: 4px solid #0072B2; padding-left: 0.8em; }
figure { margin: 1em 0; } figcaption { color: #57606a; font-size: 0.88em; max-width: 60em; }
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Table in HTML; numbers with a fraction have one digit of it."""

    def line(tag: str, values: Iterable[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{_text(value)}</{tag}>" for value in values) + "</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table>\n<thead>{line('th', heads)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return escape(f"{value:,}" if isinstance(value, int) else str(value))


def picture(svg: bytes, words: str, caption: str = "") -> str:
    """Picture within the page."""
    data = b64encode(svg).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><img alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'
        f"{below}</figure>"
    )


def paths_section(paths: Sequence[CriticalPath]) -> str:
    """Critical paths in words, and what each passes."""
    parts = []
    for path in paths:
        parts.append(
            f'<p class="path">Clock {escape(clock_words(path.clock))}: {escape(path.words)}.</p>'
        )
        rows = [
            (one.place, one.levels, one.cells, one.wires, one.cells + one.wires)
            for one in path.stretches
        ]
        rows.append(("the whole path", sum(row[1] for row in rows), path.cells, path.wires,
                     path.cells + path.wires))  # fmt: skip
        parts.append(table(("passes", "cells", "in cells, ns", "in wires, ns", "sum, ns"), rows))
    return "\n".join(parts)


def page(title: str, sections: Mapping[str, Iterable[str]]) -> str:
    """Page of sections by heading."""
    body = "\n".join(
        "\n".join([f"<h2>{escape(heading)}</h2>", *parts]) for heading, parts in sections.items()
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def path_data(path: CriticalPath) -> JsonObject:
    """Critical path for the report's data."""
    return {
        "clock": path.clock,
        "words": path.words,
        "from": path.start,
        "to": path.end,
        "ns": round(path.cells + path.wires, 3),
        "wires_ns": round(path.wires, 3),
        "passes": [
            {
                "place": one.place,
                "cells": one.levels,
                "cells_ns": round(one.cells, 3),
                "wires_ns": round(one.wires, 3),
            }
            for one in path.stretches
        ],
    }
