"""Numbers in words, as answers and drawings write them."""


def plural(count: int, thing: str) -> str:
    """Number of things in words: ``1 hop``, ``2 hops``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
