"""Arrays within a page: bytes, compressed, in letters."""

import zlib
from base64 import b64encode

import numpy as np


def packed(numbers: np.ndarray | bytes) -> str:
    """Bytes of an array, by zlib and then base64; the page unpacks them itself."""
    return b64encode(zlib.compress(bytes(numbers), 9)).decode()
