"""A live module run from Python by wasmtime, as a page runs it by its browser's engine."""

import struct

import numpy as np
from wasmtime import Engine, Instance, Module, Store


class LiveRun:
    """Module after its reset, and its functions."""

    def __init__(self, live):
        self.description = live.description
        engine = Engine()
        self._store = Store(engine)
        self._exports = Instance(self._store, Module(engine, live.wasm), []).exports(self._store)
        self.reset()

    def call(self, name, *arguments):
        """Answer of a function of the module."""
        # wasmtime takes what is above 2^31 as a negative number
        words = [word - (word >> 31 << 32) for word in map(int, arguments)]
        answer = self._exports[name](self._store, *words)
        return None if answer is None else answer & 0xFFFFFFFF

    def reset(self):
        """Begin anew."""
        self.call("reset")

    def _read(self, place, size):
        return bytes(self._exports["memory"].read(self._store, place, place + size))

    @property
    def stats(self):
        """Statistics by word."""
        names = self.description["stats"]
        words = struct.unpack(f"<{len(names)}Q", self._read(self.call("stats"), 8 * len(names)))
        return dict(zip(names, words, strict=True))

    @property
    def occupancy(self):
        """Flits per channel in the last run."""
        size = 4 * len(self.description["links"])
        return np.frombuffer(self._read(self.call("occupancy"), size), np.uint32)

    @property
    def deliveries(self):
        """Rows (source, destination, created, arrived) of the last run."""
        size = 16 * self.call("delivery_count")
        rows = np.frombuffer(self._read(self.call("deliveries"), size), np.uint32)
        return rows.reshape(-1, 4).astype(np.int64)

    def run(self, cycles, block=1000):
        """Deliveries of so many cycles, and what crossed each channel."""
        found, crossed = [], np.zeros(len(self.description["links"]), np.int64)
        while cycles:
            done = self.call("run", min(block, cycles))
            assert done > 0
            cycles -= done
            found.append(self.deliveries)
            crossed += self.occupancy
        return np.concatenate(found), crossed

    def run_offered(self, rows, cycles, block=500):
        """The same, of packets (cycle, source, destination, length) in order of cycle."""
        found, crossed, place = [], np.zeros(len(self.description["links"]), np.int64), 0
        for begin in range(0, cycles, block):
            end = min(begin + block, cycles)
            while place < len(rows) and rows[place][0] < end:
                cycle, source, destination, length = rows[place]
                assert self.call("offer", source, destination, length, cycle) == 1
                place += 1
            deliveries, through = self.run(end - begin)
            found.append(deliveries)
            crossed += through
        return np.concatenate(found), crossed
