"""Random words of the measuring self-test: a linear-feedback shift register, many steps at a time.

The bits of a sequence obey s[n + 32] = s[n + 7] ^ s[n + 6] ^ s[n + 2] ^ s[n]. The low taps let
hardware take 16 steps in a cycle with one look-up table per bit: a word is 16 new bits, lowest
first. The period of the bits is 2^32 - 1, and 16 has no factor in common with it, so that of the
words is the same.

Every node has two such sequences, one that says when it creates a packet and one that says where to
it goes; where each begins follows from the seed and a constant of its own.

References
----------
B. Schneier, "Applied Cryptography", 1996, table 16.2: x^32 + x^7 + x^6 + x^2 + 1 is primitive.
"""

import numpy as np

STATE_WIDTH = 32
"""Bits of a register."""

TAPS = (0, 2, 6, 7)
"""Bits whose sum is the bit that follows the register's last."""

WORD_WIDTH = 16
"""Bits of a word, and steps from one to the next."""

CREATION, DESTINATION = 0, 1
"""Streams of a node."""

_GOLDEN = 0x9E3779B97F4A7C15


def salt(node: int, stream: int) -> int:
    """Constant of a node's stream that a seed is added to, bit by bit: 32 bits of SplitMix64."""
    mask = (1 << 64) - 1
    x = (2 * node + stream + 1) * _GOLDEN & mask
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> shift) * factor & mask
    return (x ^ x >> 31) >> 32


def first_state(seed: int, node: int, stream: int) -> int:
    """First state of a register; its highest bit is set, so it is never 0."""
    return (seed ^ salt(node, stream)) | 1 << STATE_WIDTH - 1


def random_words(seed: int, nodes: int, stream: int, count: int) -> np.ndarray:
    """First words of a stream of every node, int64 of shape (nodes, count).

    The law of the bits, squared again and again, gives ever more of them at once: with
    s[n + 32 d] = s[n + 7 d] ^ s[n + 6 d] ^ s[n + 2 d] ^ s[n] for every d that is a power of two.
    """
    states = np.array([first_state(seed, node, stream) for node in range(nodes)], np.int64)
    total = max(count * WORD_WIDTH, STATE_WIDTH)
    bits = np.zeros((nodes, total), np.uint8)
    bits[:, :STATE_WIDTH] = states[:, None] >> np.arange(STATE_WIDTH) & 1
    known = STATE_WIDTH
    while known < total:
        spread = 1 << (known // STATE_WIDTH).bit_length() - 1
        back = STATE_WIDTH * spread
        new = min((STATE_WIDTH - max(TAPS)) * spread, total - known)
        start = known - back
        for tap in TAPS:
            first = start + tap * spread
            bits[:, known : known + new] ^= bits[:, first : first + new]
        known += new
    words = np.packbits(bits[:, : count * WORD_WIDTH], axis=1, bitorder="little")
    return words.reshape(nodes, count, 2).astype(np.int64) @ np.array([1, 256])
