"""What is Knotwork's own: its tests answer for it, so that it need not be checked at every run."""


def is_shipped(kind: type) -> bool:
    """Whether a class is defined in this package."""
    return kind.__module__.partition(".")[0] == __name__.partition(".")[0]
