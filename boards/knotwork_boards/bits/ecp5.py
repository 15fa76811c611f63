"""Bitstreams of ECP5 as Verilog: `ecpunpack` gives tiles, arcs and words; here they are traced.

From the pads back, every wire leads to one driver: by an arc that the bitstream sets, by one of the
chip's fixed connections, or by the spines of the clocks. Only what a pad depends on is written.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from knotwork.errors import ToolError
from knotwork.tools import PACKAGES, run_tool

from ..table import Board

_PLACE = re.compile(r"R(\d+)C(\d+)")
_RELATIVE = re.compile(r"^([NS]\d+)?([EW]\d+)?_(.*)$")
_CLOCKS = ("G_HPBX", "G_VPTX", "G_HPRX")  # wires with a place, among the global ones
_DIES = ("25K_", "45K_", "85K_")
_OUTPUT = re.compile(
    r"[FQ]\d_SLICE|F[5X][A-D]_SLICE|FCO[ABC]?_SLICE|WA?DO\dC_SLICE|JPADDI[A-D]_PIO"
)


class Wire(NamedTuple):
    """Wire of the chip: its column, its row, and its name there."""

    x: int
    y: int
    name: str


class Database:
    """Project Trellis's database of a device."""

    def __init__(self, device: str) -> None:
        package = PACKAGES["ecppack"]
        found = find_spec(package.replace("-", "_"))
        if found is None or not found.submodule_search_locations:
            raise ToolError(f"{package}: must be installed: `pip install {package}`")
        self._root = Path(found.submodule_search_locations[0], "share/trellis/database/ECP5")
        device = device.replace("12F", "25F")  # the same die
        self.die = f"{re.findall(r'-([0-9]+)F', device)[0]}K_"
        self._device = self._root / device
        self.globals = self._read("globals.json")
        self.pads = self._read("iodb.json")["packages"]

    def _read(self, name: str) -> dict:
        return json.loads((self._device / name).read_text())

    def tiles(self) -> Iterator[tuple[int, int, str]]:
        """Column, row and type of every tile."""
        for name, tile in self._read("tilegrid.json").items():
            yield *tile_position(name), tile["type"]

    @cache  # noqa: B019 - a database lives as long as one bitstream is read
    def connections(self, kind: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Fixed connections of a type of tile, and arcs that are there where no bit is set."""
        fixed, unset, sink = [], [], ""
        for line in (self._root / "tiledata" / kind / "bits.db").read_text().splitlines():
            words = line.split()
            if words[:1] == [".fixed_conn"]:
                fixed.append((words[1], words[2]))
            if words[:1] == [".mux"]:
                sink = words[1]
            elif len(words) == 2 and words[1] == "-" and sink:
                unset.append((sink, words[0]))
            elif not words or words[0].startswith("."):
                sink = ""
        return fixed, unset


def tile_position(tile: str) -> tuple[int, int]:
    """Column and row in a tile's name."""
    found = _PLACE.search(tile)
    if found is None:
        raise ToolError(f"ecpunpack: a tile must be named by row and column, not {tile!r}")
    return int(found[2]), int(found[1])


class Fabric:
    """Configured chip: what drives each wire, and how each tile is set."""

    def __init__(self, config: str, database: Database) -> None:
        self._database = database
        self._driver: dict[Wire, Wire] = {}
        self._fixed: dict[Wire, Wire] = {}
        self.settings: dict[tuple[int, int], dict[str, str]] = {}
        for block in config.split(".tile ")[1:]:
            head, *lines = block.splitlines()
            x, y = tile_position(head)
            settings = self.settings.setdefault((x, y), {})
            for line in lines:
                kind, *words = line.split() or [""]
                if kind == "arc:":
                    self._join(self._driver, x, y, *words)
                elif kind in ("word:", "enum:"):
                    settings[words[0]] = words[1]
        for x, y, kind in database.tiles():
            fixed, unset = database.connections(kind)
            for sink, source in (*fixed, *unset):
                self._join(self._fixed, x, y, sink, source)

    def _join(self, into: dict[Wire, Wire], x: int, y: int, sink: str, source: str) -> None:
        ends = self.wire(x, y, sink), self.wire(x, y, source)
        if None not in ends:
            into.setdefault(*ends)  # pyright: ignore[reportArgumentType]

    def wire(self, x: int, y: int, name: str) -> Wire | None:
        """Wire that a tile knows by a name; None for one of another die."""
        if name.startswith(_DIES):
            if not name.startswith(self._database.die):
                return None
            name = name.removeprefix(self._database.die)
        if name.startswith(("G_", "L_", "R_")):
            here = not name.startswith("G_") or name.startswith(_CLOCKS)
            return Wire(x, y, name) if here else Wire(0, 0, name)
        found = _RELATIVE.match(name)
        if found is None or not (found[1] or found[2]):
            return Wire(x, y, name)
        for step in filter(None, (found[1], found[2])):
            length = int(step[1:])
            x += {"E": length, "W": -length}.get(step[0], 0)
            y += {"S": length, "N": -length}.get(step[0], 0)
        return Wire(x, y, found[3])

    def source(self, wire: Wire) -> Wire | None:
        """Pin of the cell that drives a wire, traced backwards; None if nothing drives it."""
        last = None
        seen = set()
        while wire not in seen:
            seen.add(wire)
            last = wire
            before = self._driver.get(wire) or self._fixed.get(wire) or self._of_clock(wire)
            if before is None:
                break
            wire = before
        return last if last is not None and is_output(last.name) else None

    def adds(self, carry: Wire) -> bool:
        """Whether the slice of a carry output is an adder."""
        slice_ = carry.name[3] if carry.name[3] != "_" else "D"
        settings = self.settings.get((carry.x, carry.y), {})
        return settings.get(f"SLICE{slice_}.MODE") == "CCU2"

    def chosen(self, x: int, y: int, mux: str) -> str | None:
        """Name of what a tile's multiplexer is set to; None where it is not."""
        before = self._driver.get(Wire(x, y, mux))
        return None if before is None else before.name

    def _of_clock(self, wire: Wire) -> Wire | None:
        """Wire before one of a clock's spines, which the database leaves out."""
        x, y, name = wire
        parts = self._database.globals
        if name.startswith("G_HPBX"):
            for tap, reach in parts["taps"].items():
                for side in "LR":
                    if reach[f"{side.lower()}x0"] <= x <= reach[f"{side.lower()}x1"]:
                        return Wire(int(tap[1:]), y, name.replace("G_", f"{side}_"))
        quadrant = next(
            each
            for each, box in parts["quadrants"].items()
            if box["x0"] <= x <= box["x1"] and box["y0"] <= y <= box["y1"]
        )
        if name.startswith("G_VPTX"):
            spine = parts["spines"].get(f"{quadrant}{x}")
            return None if spine is None else Wire(spine["x"], spine["y"], name)
        if name.startswith("G_HPRX"):
            return Wire(0, 0, f"G_{quadrant}PCLK{int(name[6:-2])}")
        if found := re.match(r"G_CLKO_(\w+)$", name):
            return Wire(0, 0, f"G_CLKI_{found[1]}")
        return None


def is_output(name: str) -> bool:
    """Whether a wire is an output of a cell."""
    return _OUTPUT.fullmatch(name) is not None


MODULE = "chip"
"""Module that the Verilog of a bitstream is."""

_TEXT = "bits.config"
_SUMS = re.compile(r"F[5X][A-D]_SLICE")  # outputs of an adder
_ADDRESS, _DATA = ("D4", "B4", "C4", "A4"), ("C5", "A5", "D5", "B5")
"""Pins of slice C through which a RAM in slices A and B is written."""


class Writer:
    """Verilog of what pads depend on."""

    def __init__(self, fabric: Fabric, inputs: Mapping[Wire, str]) -> None:
        self._fabric = fabric
        self._inputs = inputs
        self._names: dict[Wire, str] = {}
        self._waiting: list[Wire] = []
        self._placed: set[tuple[int, int, str]] = set()
        self.lines: list[str] = []

    def net(self, wire: Wire) -> str:
        """Net of a wire: a port, a cell's output, or 1 where nothing drives it."""
        source = self._fabric.source(wire)
        if source is None:
            return "1'b1"
        if source in self._inputs:
            return self._inputs[source]
        if source not in self._names:
            self._names[source] = f"{source.name}_R{source.y}C{source.x}"
            self.lines.append(f"wire {self._names[source]};")
            self._waiting.append(source)
        return self._names[source]

    def write(self) -> None:
        """Write the cells of all nets, and of what they need in turn."""
        while self._waiting:
            self._cell(self._waiting.pop())

    def _cell(self, wire: Wire) -> None:
        x, y, name = wire
        settings = self._fabric.settings.get((x, y), {})
        if name.startswith("W"):  # a RAM's address or data, through slice C
            pins = _ADDRESS if name.startswith("WADO") else _DATA
            pin = pins[int(name[name.index("O") + 1])]
            self.lines.append(f"assign {self._names[wire]} = {self._pin(x, y, pin)};")
            return
        if name.startswith("JPADDI"):
            self.lines.append(f"assign {self._names[wire]} = 1'b1;")  # a pad that is not in use
            return
        if name.startswith("FCO"):
            slice_, lane = name[3] if name[3] != "_" else "D", 0
        elif _SUMS.fullmatch(name):
            slice_, lane = name[2], 0
        else:
            lane = int(name[1])
            slice_ = "ABCD"[lane // 2]
        if name.startswith("Q"):
            self._register(wire, lane, slice_, settings)
            return
        mode = settings.get(f"SLICE{slice_}.MODE", "LOGIC")
        if (mode == "CCU2") != (name.startswith("FCO") or _SUMS.fullmatch(name) is not None):
            raise ToolError(f"slice {slice_} in R{y}C{x}: {name} must not come out in mode {mode}")
        if mode == "CCU2":
            self._carry(x, y, slice_, settings)
        elif mode == "DPRAM":
            self._memory(wire, lane, slice_, settings)
        else:
            table = settings.get(f"SLICE{slice_}.K{lane % 2}.INIT", "1" * 16)
            chosen = self._inputs_of(x, y, lane)
            self.lines.append(f"assign {self._names[wire]} = 16'b{table} >> {chosen};")

    def _pin(self, x: int, y: int, pin: str) -> str:
        """Net at an input of a table, which may be set to 1."""
        slice_ = "ABCD"[int(pin[1]) // 2]
        setting = f"SLICE{slice_}.{pin[0]}{int(pin[1]) % 2}MUX"
        if self._fabric.settings.get((x, y), {}).get(setting) == "1":
            return "1'b1"
        return self.net(Wire(x, y, f"{pin}_SLICE"))

    def _inputs_of(self, x: int, y: int, lane: int) -> str:
        pins = ", ".join(self._pin(x, y, f"{letter}{lane}") for letter in "DCBA")
        return f"{{{pins}}}"

    def _shared(self, x: int, y: int, own: str, settings: Mapping[str, str]) -> str:
        """Net of a clock or reset that a tile's slices share, inverted where it is set so."""
        inverted = settings.get(f"{own}.{own[:3]}MUX") == "INV"
        return ("~" if inverted else "") + self.net(Wire(x, y, own))

    def _register(self, wire: Wire, lane: int, slice_: str, settings: Mapping[str, str]) -> None:
        x, y, _ = wire
        kind, register = f"SLICE{slice_}", f"SLICE{slice_}.REG{lane % 2}"
        clock_name = self._fabric.chosen(x, y, f"MUXCLK{lane // 2}") or "CLK0"
        reset_name = self._fabric.chosen(x, y, f"MUXLSR{lane // 2}")
        clock = self._shared(x, y, clock_name, settings)
        reset = "1'b0" if reset_name is None else self._shared(x, y, reset_name, settings)
        enable = {"1": "1'b1", "0": "1'b0"}.get(settings.get(f"{kind}.CEMUX", "CE"))
        if enable is None:
            inverted = settings.get(f"{kind}.CEMUX") == "INV"
            enable = ("~" if inverted else "") + self.net(Wire(x, y, f"CE{lane // 2}_SLICE"))
        pin = "DI" if settings.get(f"{register}.SD", "1") == "1" else "M"
        data = self.net(Wire(x, y, f"{pin}{lane}_SLICE"))
        value = 1 if settings.get(f"{register}.REGSET", "SET") == "SET" else 0
        name, edge = self._names[wire], _edge(clock)
        if settings.get(f"{reset_name}.SRMODE") == "ASYNC" and "'" not in reset:
            edge += f" or {_edge(reset)}"
        step = f"if ({reset}) {name}_q <= {value}; else if ({enable}) {name}_q <= {data};"
        self.lines += [
            f"reg {name}_q = {value};",
            f"always @({edge}) {step}",
            f"assign {name} = {name}_q;",
        ]

    def _carry(self, x: int, y: int, slice_: str, settings: Mapping[str, str]) -> None:
        if (x, y, slice_) in self._placed:
            return
        self._placed.add((x, y, slice_))
        first = 2 * "ABCD".index(slice_)
        middle = {"A": ""}.get(slice_, slice_)
        before = self._fabric.source(Wire(x, y, f"FCI{middle}_SLICE"))
        into = "1'b0"  # of a chain's first slice, whose tables do not heed it
        if before is not None and self._fabric.adds(before):
            into = self.net(before)
        outs = [Wire(x, y, f"F5{slice_}_SLICE"), Wire(x, y, f"FX{slice_}_SLICE")]
        outs.append(Wire(x, y, f"FCO{slice_}_SLICE" if slice_ != "D" else "FCO_SLICE"))
        for wire in outs:
            if wire not in self._names:
                self._names[wire] = f"{wire.name}_R{y}C{x}"
                self.lines.append(f"wire {self._names[wire]};")
        tables = [settings.get(f"SLICE{slice_}.K{n}.INIT", "1" * 16) for n in (0, 1)]
        injected = [
            "YES" if settings.get(f"SLICE{slice_}.CCU2.INJECT1_{n}", "YES") == "YES" else "NO"
            for n in (0, 1)
        ]
        pins = [f".CIN({into})"]
        for n in (0, 1):
            pins += [f".{pin}{n}({self._pin(x, y, f'{pin}{first + n}')})" for pin in "ABCD"]
        named = zip(("S0", "S1", "COUT"), outs, strict=True)
        pins += [f".{pin}({self._names[wire]})" for pin, wire in named]
        self.lines.append(
            f"CCU2C #(.INIT0(16'b{tables[0]}), .INIT1(16'b{tables[1]}), "
            f'.INJECT1_0("{injected[0]}"), .INJECT1_1("{injected[1]}")) '
            f"carry_{slice_}_R{y}C{x} ({', '.join(pins)});"
        )

    def _memory(self, wire: Wire, lane: int, slice_: str, settings: Mapping[str, str]) -> None:
        x, y, _ = wire
        name, z = self._names[wire], "ABCD".index(slice_)
        table = settings.get(f"SLICE{slice_}.K{lane % 2}.INIT", "1" * 16)
        address = ", ".join(self.net(Wire(x, y, f"WAD{n}{slice_}_SLICE")) for n in (3, 2, 1, 0))
        data = self.net(Wire(x, y, f"WD{lane % 2}{slice_}_SLICE"))
        clock = self._shared(x, y, "CLK1", settings)
        enable = self.net(Wire(x, y, f"WRE{z}_SLICE"))
        if settings.get(f"SLICE{slice_}.WREMUX") == "INV":
            enable = f"~{enable}"
        self.lines += [
            f"reg [15:0] {name}_m = 16'b{table};",
            f"always @({_edge(clock)}) if ({enable}) {name}_m[{{{address}}}] <= {data};",
            f"assign {name} = {name}_m >> {self._inputs_of(x, y, lane)};",
        ]


def _edge(net: str) -> str:
    """Edge on which a net's level begins."""
    return f"negedge {net[1:]}" if net.startswith("~") else f"posedge {net}"


def unpack(folder: Path, board: Board, pins: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Verilog of the bitstream in a folder, and its ports at these pins.

    Raises
    ------
    ToolError
        The bitstream has what this reader does not know.
    """
    run_tool(["ecpunpack", "--input", board.family.product, "--textcfg", _TEXT], folder)
    database = Database(board.device)
    fabric = Fabric((folder / _TEXT).read_text(), database)
    pads = database.pads[package_of(board)]
    places = {
        name: (pads[pin]["col"], pads[pin]["row"], pads[pin]["pio"]) for name, pin in pins.items()
    }
    inputs = {
        Wire(x, y, f"JPADDI{which}_PIO"): name
        for name, (x, y, which) in places.items()
        if name != "tx"
    }
    writer = Writer(fabric, inputs)
    x, y, which = places["tx"]
    output = writer.net(Wire(x, y, f"PADDO{which}_PIO"))
    writer.write()
    ports = "input clk, input rx, output tx"
    lines = [
        f"module {MODULE} ({ports});",
        *writer.lines,
        f"assign tx = {output};",
        "endmodule",
        "",
    ]
    return "\n".join(lines), {name: name for name in pins}


def package_of(board: Board) -> str:
    """Package of a board's FPGA, as the database calls it: ``CABGA381``."""
    code = board.platform_class.package
    kinds = {"BG": "CABGA", "MG": "CSFBGA", "TG": "TQFP"}
    return kinds[code[:2]] + code[2:]
