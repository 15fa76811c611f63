import base64
import zlib

import numpy as np
from knotwork_sim.datasheet.packed import packed


def test_bytes_come_back():
    numbers = np.arange(300, dtype="<u4")
    assert zlib.decompress(base64.b64decode(packed(numbers))) == numbers.tobytes()
    assert len(packed(bytes(100_000))) < 200
