"""Adjacency matrices as tables: with commas, semicolons, tabs or spaces."""

from pathlib import Path

from ...csv_columns import read_rows
from ...wording import parse_real
from .builder import MOST_NODES, GraphBuilder, GraphData


def read(path: Path) -> GraphData:
    """Graph of an adjacency matrix: how many links lead from the row's router to the column's.

    Links there and back are one that leads both ways. A first line of names, and then a first
    column of the same, name the routers.

    Raises
    ------
    ConfigurationError
        A matrix that is not square, an entry that is no number.
    """
    builder = GraphBuilder(path.name)
    rows = [(number, [field.strip() for field in row]) for number, row in read_rows(path)]
    if not rows:
        raise builder.refuse("", "there must be a router, not none")
    names = None
    is_named = not rows[0][1][0] and len(rows) == len(rows[0][1])
    if is_named or any(field and not _is_number(field) for field in rows[0][1]):
        (first, names), *rows = rows
        has_names = (
            bool(rows)
            and len(rows[0][1]) == len(names)
            and (is_named or not _is_number(rows[0][1][0]))
        )
        if has_names:
            names = names[1:]
            _require_names(builder, rows, names)
            rows = [(number, row[1:]) for number, row in rows]
        for name in names:
            builder.add_router(name, f"line {first}:")
    size = len(names or rows[0][1]) if rows else 0
    if len(rows) != size:
        raise builder.refuse("", f"there must be {size} lines, one per router, not {len(rows)}")
    if names is None:
        builder.add_routers(size)
    for router, (number, row) in enumerate(rows):
        if len(row) != size:
            raise builder.refuse(f"line {number}:", f"must have {size} fields, not {len(row)}")
        _add_links(builder, router, row, f"line {number}:")
    return builder.build()


def _require_names(
    builder: GraphBuilder, rows: list[tuple[int, list[str]]], names: list[str]
) -> None:
    for (number, row), name in zip(rows, names, strict=False):
        if row[0] != name:
            raise builder.refuse(
                f"line {number}:", f"must be router {name}, as in the first line, not {row[0]!r}"
            )


def _add_links(builder: GraphBuilder, router: int, row: list[str], where: str) -> None:
    for far, field in enumerate(row):
        count = _COUNTS.get(_number(field))
        if count is None:
            raise builder.refuse(
                where, f"an entry must be a number of links in 0..{MOST_NODES}, not {field!r}"
            )
        for _ in range(count):
            builder.add_link(router, far, where, two_way=False)


def _is_number(field: str) -> bool:
    """Whether a field is a number of any kind, also one that is refused, and so no name."""
    unsigned = field.lower().lstrip("+-")
    return _number(unsigned) is not None or unsigned in ("inf", "nan")


def _number(field: str) -> float | None:
    try:
        return parse_real(field)
    except ValueError:
        return None


_COUNTS: dict[float | None, int] = {float(count): count for count in range(MOST_NODES + 1)}
