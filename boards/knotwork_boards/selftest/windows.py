"""Windows of the self-test, one after the other."""

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .measure import NO_HOST, Host, Measurement, TableHost


class Windows(wiring.Component):
    """Sequence of a window: clear the sinks, run the sources until all is quiet, write the line.

    Parameters
    ----------
    width : int
        Width of a window's number.
    timer_width : int
        Logarithm of the cycles without a packet after which a window has ended.
    restarts : bool
        Whether the network is reset after a window that failed.

    Members
    -------
    active : In(1)
        A packet came or went.
    busy : In(1)
        More packets will be created.
    passed : In(1)
        Verdict, once all is quiet.
    writing : In(1)
        The line is being written.
    anew_each : In(1)
        The network is reset before the window.
    going, anew : In(1)
        See `measure.Host`.
    clear, start : Out(1)
        See `WindowControl`.
    timer : Out(timer_width)
        See there.
    restart : Out(1)
        Resets the network.
    take : Out(1)
        Pulse before `clear`.
    write : Out(1)
        Pulse that begins the line.
    number : Out(width)
        Number of the window.
    led_pass, led_fail : Out(1)
        See `SelfTest`.
    """

    active: Value
    busy: Value
    passed: Value
    writing: Value
    anew_each: Value
    going: Value
    anew: Value
    clear: Value
    start: Value
    timer: Value
    restart: Value
    take: Value
    write: Value
    number: Value
    led_pass: Value
    led_fail: Value

    def __init__(self, *, width: int, timer_width: int, restarts: bool) -> None:
        self._restarts = restarts
        inputs = ("active", "busy", "passed", "writing", "anew_each", "going", "anew")
        outputs = ("clear", "start", "restart", "take", "write", "led_pass", "led_fail")
        super().__init__(
            {
                **dict.fromkeys(inputs, In(1)),
                **dict.fromkeys(outputs, Out(1)),
                "timer": Out(timer_width),
                "number": Out(width),
            }
        )

    def connect_host(self, m: Module, measurement: Measurement | TableHost | None) -> Host:
        """Connect what takes commands, if anything; return what decides over them."""
        host = NO_HOST
        if measurement is not None:
            m.submodules.measurement = measurement
            host = measurement.host
            m.d.comb += [
                measurement.take.eq(self.take),
                measurement.clear.eq(self.clear),
                measurement.start.eq(self.start),
                measurement.line_begins.eq(self.write),
            ]
        m.d.comb += [
            self.busy.eq(host.busy),
            self.anew_each.eq(host.measures),
            self.going.eq(host.going),
            self.anew.eq(host.anew),
        ]
        return host

    def elaborate(self, platform: object) -> Module:
        """Three states, and one in which a host may let it wait."""
        del platform
        m = Module()
        timer = self.timer
        m.d.sync += [timer.eq(timer + 1), self.restart.eq(0)]
        with m.FSM():
            with m.State("CLEAR"):
                m.d.comb += self.clear.eq(1)
                m.d.sync += self.restart.eq(self.anew_each & (timer == 1))
                with m.If(timer.all()):
                    m.d.comb += self.start.eq(1)
                    m.next = "RUN"
            with m.State("RUN"):
                with m.If(self.active | self.busy):
                    m.d.sync += timer.eq(0)
                with m.Elif(timer.all()):
                    m.d.comb += self.write.eq(1)
                    m.next = "REPORT"
            with m.State("REPORT"), m.If(~self.writing):
                if self._restarts:
                    m.d.sync += self.restart.eq(~self.passed)
                m.d.sync += [
                    self.number.eq(self.number + 1),
                    self.led_pass.eq(self.passed & ~self.led_fail),
                    self.led_fail.eq(~self.passed | self.led_fail),
                ]
                m.next = "WAIT"
            with m.State("WAIT"):
                m.d.sync += timer.eq(0)
                with m.If(self.going):
                    m.d.comb += self.take.eq(1)
                    m.next = "CLEAR"
        with m.If(self.take & self.anew):
            m.d.sync += [self.number.eq(0), self.led_pass.eq(0), self.led_fail.eq(0)]
        return m
