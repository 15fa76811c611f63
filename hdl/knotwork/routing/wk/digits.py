"""What the rules of the WK-recursive networks ask of a router's digits."""

from ..compiled.compilable import compilable


@compilable
def corner_level(w, levels, router):
    """Equal digits of a router from the lowest on."""
    own, level = router % w, 0
    while level < levels and router % w == own:
        router //= w
        level += 1
    return level


@compilable
def top_digit(w, router, destination):
    """Highest place, from 1, in which two addresses differ, and the destination's digit there."""
    place, digit = 0, 0
    while router != destination:
        digit = destination % w
        router, destination = router // w, destination // w
        place += 1
    return place, digit
