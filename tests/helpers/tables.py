"""Tables that commands print, taken apart."""


def rows_of(out: str) -> list[list[str]]:
    """Cells of each row of the tables in a command's output, without the heads."""
    lines = [line for line in out.splitlines() if "│" in line]
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines]
