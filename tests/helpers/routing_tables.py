"""Routing tables written by hand or by geometry, not by a routing of Knotwork's."""

from collections.abc import Iterator

Row = tuple[int, int, str, int]

# The cycle 0-1-3-2 of a mesh of 2 x 2, router = 2 y + x; ports L, R, U, D. Every packet goes
# clockwise (right, down, left, up), so all wait for each other.
CLOCKWISE = "router,destination,port,vc\n" + "".join(
    f"{router},{destination},{port},0\n"
    for router, port in ((0, "R"), (1, "D"), (3, "L"), (2, "U"))
    for destination in range(4)
    if destination != router
)


def columns_first(x: int, y: int) -> Iterator[Row]:
    """Rows of a mesh: along the column first, then along the row."""
    for router in range(x * y):
        for destination in range(x * y):
            (to_y, to_x), (at_y, at_x) = divmod(destination, x), divmod(router, x)
            if at_y != to_y:
                yield router, destination, "D" if to_y > at_y else "U", 0
            elif at_x != to_x:
                yield router, destination, "R" if to_x > at_x else "L", 0
