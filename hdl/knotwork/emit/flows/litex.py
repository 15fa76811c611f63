"""A LiteX module around the Verilog, as users get it: it knows the ports by the manifest."""

from .top import Top

_TEXT = '''\
"""LiteX wrapper of {name}: `{kind}` places the Verilog beside this file in a LiteX design.

`nodes[i]` has `inject` and `eject` (`axi.AXIStreamInterface`) and `refused`, or `bus`
(`axi.AXIInterface` or `axi.AXILiteInterface`): where the node is an initiator, your manager drives
`bus`; where it is a target, `bus` drives your memory. Ports of other buses are in `signals`, by
name. `monitors` has the buses that read monitors, by their prefixes.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace

from litex.soc.interconnect import axi
from migen import ClockSignal, Instance, Module, ResetSignal, Signal

HERE = Path(__file__).parent
MANIFEST = json.loads((HERE / "manifest.json").read_text())


def _module_ports():
    """Bits and direction of every port of the Verilog's top, by name."""
    text = (HERE / f"{{MANIFEST['top']}}.v").read_text()
    (head,) = re.findall(rf"^module {{MANIFEST['top']}} \\((.*?)^\\);", text, re.M | re.S)
    found = re.findall(r"^ *(input|output) (?:reg )?(?:\\[(\\d+):0\\] )?(\\w+)", head, re.M)
    return {{name: (way[0], int(high or 0) + 1) for way, high, name in found}}


class {kind}(Module):
    """{name}; a node's own clock is the domain that `clocks` names for the node's index."""

    def __init__(self, platform=None, *, clocks=None):
        self._pins, self._ports = {{}}, _module_ports()
        self.signals = {{}}
        self._clocks(clocks or {{}})
        self.nodes = [self._node(node) for node in MANIFEST["nodes"]]
        prefixes = re.findall(r"^(\\w*s_axil_monitor)_awaddr$", "\\n".join(self._ports), re.M)
        self.monitors = {{prefix: self._bus(prefix) for prefix in prefixes}}
        for name, (way, bits) in self._ports.items():
            if f"{{way}}_{{name}}" not in self._pins:
                self.signals[name] = self._pins[f"{{way}}_{{name}}"] = Signal(bits, name=name)
        self.specials += Instance(MANIFEST["top"], **self._pins)
        if platform is not None:
            for file in MANIFEST["files"]:
                platform.add_source(str(HERE / file))

    def _clocks(self, names):
        """Clocks, and resets of either level, of the network and of nodes with their own."""
        is_low = MANIFEST["reset"]["active"] == "low"
        domains = {{(MANIFEST["clock"]["port"], MANIFEST["reset"]["port"]): "sys"}}
        for node in MANIFEST["nodes"]:
            pair = node.get("clock"), node.get("reset")
            if pair[0] and pair not in domains:
                domains[pair] = names[node["index"]]
        for (clock, reset), domain in domains.items():
            high = ResetSignal(domain, allow_reset_less=True)
            self._pins[f"i_{{clock}}"] = ClockSignal(domain)
            self._pins[f"i_{{reset}}"] = ~high if is_low else high

    def _join(self, prefix, signal_of):
        """Connect the ports that begin so; in a signal's name there is no `_`."""
        for name, (way, bits) in self._ports.items():
            member = name.removeprefix(f"{{prefix}}_")
            if member != name and "_" not in member:
                signal = signal_of(member)
                assert len(signal) == bits, f"{{name}}: {{len(signal)}} bits, not {{bits}}"
                self._pins[f"{{way}}_{{name}}"] = signal

    def _width(self, name, default=0):
        return self._ports.get(name, (None, default))[1]

    def _stream(self, prefix):
        widths = {{
            f"{{field}}_width": self._width(f"{{prefix}}_t{{field}}")
            for field in ("data", "keep", "id", "dest", "user")
        }}
        side = axi.AXIStreamInterface(**widths)
        self._join(prefix, lambda signal: getattr(side, signal[1:]))
        return side

    def _bus(self, prefix):
        widths = {{
            "data_width": self._width(f"{{prefix}}_wdata"),
            "address_width": self._width(f"{{prefix}}_awaddr"),
        }}
        if f"{{prefix}}_awid" in self._ports:
            side = axi.AXIInterface(**widths, id_width=self._width(f"{{prefix}}_awid"))
        else:
            side = axi.AXILiteInterface(**widths)

        def signal_of(name):
            channel, field = re.fullmatch(r"(aw|w|b|ar|r)(\\w+)", name).groups()
            return getattr(getattr(side, channel), field)

        self._join(prefix, signal_of)
        return side

    def _node(self, node):
        ends = SimpleNamespace()
        if "inject" in node:
            ends.inject, ends.eject = self._stream(node["inject"]), self._stream(node["eject"])
            ends.refused = self._pins[f"o_{{node['refused']}}"] = Signal()
        if f"{{node.get('prefix')}}_awaddr" in self._ports:
            ends.bus = self._bus(node["prefix"])
        return ends
'''


def litex_files(top: Top) -> dict[str, str]:
    """File of the module; it reads the manifest beside it."""
    kind = "".join(part.capitalize() for part in top.name.split("_") if part)
    text = top.header("#") + _TEXT.format(name=top.name, kind=kind)
    return {f"{top.name}_litex.py": text}
