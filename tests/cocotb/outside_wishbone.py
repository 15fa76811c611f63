"""Manager and memory of Wishbone by cocotbext-wishbone, which has one request under way."""

import cocotb
from bus_ends import LIMIT, SIZE, WordManager
from cocotb.triggers import ValueChange
from cocotbext.wishbone.driver import WBOp, WishboneMaster
from cocotbext.wishbone.monitor import WishboneSlave

SIGNALS = {name: name for name in ("cyc", "stb", "we", "adr", "sel", "ack", "err")}
SIGNALS |= {"datwr": "dat_w", "datrd": "dat_r"}
DONE, FAILED = 1, 2


class OutsideManager(WordManager):
    def __init__(self, dut, prefix, dice, *, stalls):
        self.bytes = len(getattr(dut, f"{prefix}_sel"))
        signals = SIGNALS | {"stall": "stall"}
        width = 8 * self.bytes
        self.master = WishboneMaster(dut, prefix, dut.clk, 1000, width, signals_dict=signals)
        self.dice, self.stalls = dice, stalls

    async def transfers(self, asked):
        requests = [
            WBOp(word, value if write else None, self.idle(), strobe)
            for write, word, strobe, value in asked
        ]
        answers = await self.master.send_cycle(requests)
        return [(one.ack == FAILED, self.data(one)) for one in answers]

    def idle(self):
        return self.dice.randrange(1, 4) if self.dice.random() < self.stalls else 0

    @staticmethod
    def data(answer):
        return int(answer.datrd) if answer.datrd.is_resolvable else 0


class _Classic(WishboneSlave):
    _optional_signals = []


class OutsideMemory:
    """Memory of the classic kind; it stalls until it answers (WISHBONE B4, 5.2.1)."""

    def __init__(self, dut, prefix, dice, *, stalls):
        self.memory, self.prefix, self.dut = bytearray(SIZE), prefix, dut
        self.bytes = len(getattr(dut, f"{prefix}_sel"))
        waits = iter(lambda: dice.randrange(1, 5) if dice.random() < stalls else 0, None)
        made = _Classic(
            dut,
            prefix,
            dut.clk,
            width=8 * self.bytes,
            signals_dict=SIGNALS,
            datgen=iter(self.read, None),
            ackgen=iter(self.answer, None),
            waitreplygen=waits,
        )
        self.slave = made
        cocotb.start_soon(self.stall())

    def value(self, name):
        return int(getattr(self.dut, f"{self.prefix}_{name}").value)

    def read(self):
        at = self.value("adr") * self.bytes
        return int.from_bytes(self.memory[at : at + self.bytes], "little")

    def answer(self):
        at = self.value("adr") * self.bytes
        if at >= LIMIT:
            return FAILED
        if self.value("we"):
            data = self.value("dat_w").to_bytes(self.bytes, "little")
            for lane in range(self.bytes):
                if self.value("sel") >> lane & 1:
                    self.memory[at + lane] = data[lane]
        return DONE

    async def stall(self):
        ack, err = (getattr(self.dut, f"{self.prefix}_{name}") for name in ("ack", "err"))
        stall = getattr(self.dut, f"{self.prefix}_stall")
        while True:
            stall.value = int(not (int(ack.value) or int(err.value)))
            await cocotb.triggers.First(ValueChange(ack), ValueChange(err))
