"""Rules of memory-mapped buses, checked in every cycle. Runs inside the simulator."""

from cocotb.triggers import RisingEdge


class Watched:
    """A bus's signals, sampled at every edge of the clock."""

    def __init__(self, dut, prefix):
        self.dut, self.prefix = dut, prefix
        self.held = {}
        self.count = 0

    def values(self, *names):
        return tuple(int(getattr(self.dut, f"{self.prefix}_{name}").value) for name in names)

    def hold(self, name, waits, values):
        """What waits now must be there, unchanged, in the next cycle."""
        before = self.held.get(name)
        assert before is None or before == values, (
            f"{self.prefix}: {name}: {before} became {values} before it was taken"
        )
        self.held[name] = values if waits else None

    async def watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            if int(self.dut.rst.value):
                self.held.clear()
            else:
                self.check()


class AxiRules(Watched):
    """Each channel keeps what it offers until it is taken (IHI 0022, A3.2.1).

    Data that is read comes after its address, and a write's outcome after its address and its last
    data (A3.3.1).
    """

    CHANNELS = {
        "aw": ("addr", "prot", "id", "len", "size", "burst"),
        "ar": ("addr", "prot", "id", "len", "size", "burst"),
        "w": ("data", "strb", "last"),
        "b": ("resp", "id"),
        "r": ("data", "resp", "id", "last"),
    }

    def __init__(self, dut, prefix):
        super().__init__(dut, prefix)
        self.owed = {"aw": 0, "w": 0, "r": 0}
        self.channels = {
            channel: [
                f"{channel}{field}"
                for field in fields
                if hasattr(dut, f"{prefix}_{channel}{field}")
            ]
            for channel, fields in self.CHANNELS.items()
        }

    def check(self):
        for channel, fields in self.channels.items():
            valid, ready = self.values(f"{channel}valid", f"{channel}ready")
            values = (valid, *self.values(*fields)) if valid else (0,)
            self.hold(channel, valid and not ready, values)
            self.count += valid and ready
        self.follow()

    def one(self, name, default):
        return self.values(name)[0] if hasattr(self.dut, f"{self.prefix}_{name}") else default

    def follow(self):
        """Count what is owed: in the cycle of a handshake, its answer is too early."""
        taken = {
            channel: all(self.values(f"{channel}valid", f"{channel}ready"))
            for channel in self.CHANNELS
        }
        bvalid, rvalid = self.values("bvalid", "rvalid")
        owed = self.owed
        assert owed["r"] or not rvalid, f"{self.prefix}: data before its address"
        assert min(owed["aw"], owed["w"]) or not bvalid, f"{self.prefix}: an early outcome"
        owed["r"] += taken["ar"] * (self.one("arlen", 0) + 1) - taken["r"]
        owed["aw"] += taken["aw"] - taken["b"]
        owed["w"] += (taken["w"] and self.one("wlast", 1)) - taken["b"]


class WishboneRules(Watched):
    """Requests wait unchanged, and have one answer each (WISHBONE B4, 3.1.3, 3.2)."""

    def __init__(self, dut, prefix):
        super().__init__(dut, prefix)
        self.owed = 0

    def check(self):
        cyc, stb, stall, ack, err = self.values("cyc", "stb", "stall", "ack", "err")
        assert cyc or not stb, f"{self.prefix}: stb must not be without cyc (rule 3.25)"
        assert not (ack and err), f"{self.prefix}: ack and err must not be together (rule 3.45)"
        if not cyc:
            self.owed = 0
            self.held.clear()
        request = (stb, *self.values("adr", "we", "sel", "dat_w")) if stb else (0,)
        self.hold("request", stb and stall, request)
        self.owed += (stb and not stall) - (ack or err)
        assert self.owed >= 0, f"{self.prefix}: an answer must have a request"
        self.count += stb and not stall


class ApbRules(Watched):
    """One cycle of setup, then an access until the peripheral is ready (IHI 0024, 3, 4.1)."""

    def check(self):
        psel, penable, pready, pwrite = self.values("psel", "penable", "pready", "pwrite")
        assert psel or not penable, f"{self.prefix}: penable must not be without psel"
        assert bool(penable) == bool(self.held.get("transfer")), (
            f"{self.prefix}: penable must follow the cycle of setup"
        )
        (strobe,) = self.values("pstrb")
        assert pwrite or not psel or not strobe, f"{self.prefix}: a read must have no strobe"
        transfer = psel, *self.values("pwrite", "paddr", "pprot", "pstrb", "pwdata")
        self.hold("transfer", psel and not (penable and pready), transfer)
        self.count += penable and pready


RULES = {
    "axi4": AxiRules,
    "axi_lite": AxiRules,
    "wishbone": WishboneRules,
    "apb": ApbRules,
}
