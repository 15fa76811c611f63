"""Which classes Knotwork ships: its tests check them, so that no run needs to."""


def is_shipped(kind: type) -> bool:
    """Whether a class is defined in this package."""
    return kind.__module__.partition(".")[0] == __name__.partition(".")[0]
