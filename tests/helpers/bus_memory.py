"""AXI4 in Amaranth's simulator: a memory that may fall silent, and a manager's bursts."""

from random import Random

from helpers.streams import get, put


class Memory:
    """Memory that answers in order; a channel rests in the share `stall` of the cycles.

    `is_alive` says whether it does anything in a cycle, by its number; what it offers stays.
    `response` is the outcome of a beat, by its address.
    """

    def __init__(self, bus, *, stall=0.0, seed=1, is_alive=lambda _: True, response=lambda _: 0):
        self.bus, self.stall, self.dice = bus, stall, Random(f"memory {seed}")
        self.is_alive, self.response = is_alive, response
        self.bytes = {}
        self.writes, self.beats, self.reads = [], [], []
        self.cycle = self.given = 0
        self.locks = set()

    def process(self, aw, w, b, ar, r):
        """Testbench for the background."""
        taken = [("aw", aw), ("w", w), ("ar", ar)]

        async def testbench(ctx):
            answers, beats = [], []
            offered = {}
            while True:
                alive = self.is_alive(self.cycle)
                for _, channel in taken:
                    ctx.set(channel.ready, alive and self.dice.random() >= self.stall)
                if alive:
                    self._finish(answers, beats)
                for name, channel, waiting in (("b", b, answers), ("r", r, beats)):
                    rests = name in offered or not alive or self.dice.random() < self.stall
                    if waiting and not rests:
                        offered[name] = waiting.pop(0)
                        ctx.set(channel.p, offered[name])
                    ctx.set(channel.valid, name in offered)
                _, _, *seen = await ctx.tick().sample(
                    *(bit for _, one in taken for bit in (one.valid & one.ready, one.p)),
                    b.valid & b.ready,
                    r.valid & r.ready,
                )
                for place, queue in enumerate((self.writes, self.beats, self.reads)):
                    if seen[2 * place]:
                        queue.append(seen[2 * place + 1])
                for name, done in zip("br", seen[6:], strict=True):
                    if done:
                        del offered[name]
                        self.given += 1
                self.cycle += 1

        return testbench

    def _finish(self, answers, beats):
        """Do what has come whole."""
        if self.writes and len(self.beats) > self.writes[0].length:
            request, worst = self.writes.pop(0), 0
            for number in range(request.length + 1):
                beat = self.beats.pop(0)
                assert beat.last == (number == request.length), "WLAST must mark the last beat"
                worst = max(worst, self._write(request, number, beat))
            self.locks.add(request.lock)
            assert request.id == 0
            answers.append({"id": 0, "response": worst})
        if self.reads:
            request = self.reads.pop(0)
            self.locks.add(request.lock)
            beats += [self._read(request, number) for number in range(request.length + 1)]

    def _lane(self, request, number):
        """Address of the bus's word in which a beat of an INCR burst lies."""
        aligned = request.address >> request.size << request.size
        address = aligned + (number << request.size) if number else request.address
        return address // self.bus.data_bytes * self.bus.data_bytes

    def _write(self, request, number, beat):
        word = self._lane(request, number)
        for lane in range(self.bus.data_bytes):
            if beat.strobe >> lane & 1:
                self.bytes[word + lane] = beat.data >> 8 * lane & 0xFF
        return self.response(word)

    def _read(self, request, number):
        word = self._lane(request, number)
        value = sum(
            self.bytes.get(word + lane, 0) << 8 * lane for lane in range(self.bus.data_bytes)
        )
        last = number == request.length
        return {"id": 0, "data": value, "response": self.response(word), "last": last}


async def write(ctx, axi, address, data, *, name=0, size=2, strobe=None, **more):
    """Write words by an INCR burst; its response and identifier."""
    length = len(data) - 1
    fields = {"id": name, "address": address, "length": length, "size": size, "burst": 1}
    await put(ctx, axi.aw, fields | more)
    for number, word in enumerate(data):
        strobes = (1 << len(axi.w.p.strobe)) - 1 if strobe is None else strobe
        await put(ctx, axi.w, {"data": word, "strobe": strobes, "last": number == length})
    answer = await get(ctx, axi.b)
    return answer.response, answer.id


async def read(ctx, axi, address, count, *, name=0, size=2, **more):
    """Read words by an INCR burst; its beats."""
    fields = {"id": name, "address": address, "length": count - 1, "size": size, "burst": 1}
    await put(ctx, axi.ar, fields | more)
    beats = [await get(ctx, axi.r) for _ in range(count)]
    assert [bool(beat.last) for beat in beats] == [False] * (count - 1) + [True]
    assert {beat.id for beat in beats} == {name}
    return [(beat.data, beat.response) for beat in beats]
