"""Johnson code, the code of a twisted ring counter, for rings of an even number of nodes."""

from ..errors import ConfigurationError


def johnson_bits(size: int, *, owner: str, key: str) -> int:
    """Bits of the code of a ring: half its nodes.

    Raises
    ------
    ConfigurationError
        An odd ring: more than one bit would change from its last code to its first.
    """
    if size % 2:
        raise ConfigurationError(
            f"{owner}: {key} must be even with ring_code=johnson, because more than one bit "
            f"changes from the last code of an odd ring to its first, not {size}"
        )
    return size // 2


def johnson_code(bits: int, value: int) -> int:
    """Code of a value 0..2 bits - 1: ones are shifted in from below, and then zeros."""
    every = (1 << bits) - 1
    return (1 << value) - 1 if value < bits else every - ((1 << (value - bits)) - 1)


def johnson_value(bits: int, code: int) -> int | None:
    """Value whose code this is; None where it is not a code."""
    ones = code.bit_count()
    value = ones if not code >> (bits - 1) or ones == bits else 2 * bits - ones
    return value if johnson_code(bits, value) == code else None
