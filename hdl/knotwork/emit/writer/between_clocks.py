"""Registers and memories of a component by which words go from one clock to another."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .component import Design
from .parts import Domain, Memory, Part
from .statements import only, read
from .terms import Bits, Net, nets_of


class Crossed(NamedTuple):
    """Register or memory at an end of paths from one clock to another.

    Members
    -------
    source, target : str
        Clock ports of the component: what launches the paths, and what they end at.
    path : str
        Names of the instances from the component's module to it, and its own, with ``/`` between.
    """

    source: str
    target: str
    path: str


def crossed_ends(design: Design) -> Iterator[Crossed]:
    """What takes values that another clock launches, over gates or not, as data or as a reset."""
    launches = _Launches(design)
    for part in design.top.all():
        for domain in part.domains.values():
            for register in domain.registers:
                yield from launches.crossed(part, register, domain.clk, _taken(domain, register))
        for memory in part.memories:
            for writer in memory.writers:
                nets = (net for term in writer.terms for net in nets_of(term))
                yield from launches.crossed(part, memory, writer.clk, nets)


def crossed_starts(design: Design) -> Iterator[Crossed]:
    """What launches values that leave the component together with those of another clock.

    They end outside, at registers of that clock.
    """
    launches, found = _Launches(design), dict[Crossed, None]()
    for net in design.ports[design.top].outputs:
        reached = launches.of([net])
        for target in {launch.clk for launch in reached}:
            for launch in (one for one in reached if one.clk != target):
                if isinstance(launch.cell, Memory):  # a register's other bits may be outputs
                    path = launches.path(launch.part, launch.cell)
                    found[Crossed(launch.clk, target, path)] = None
    yield from found


def _taken(domain: Domain, register: Net) -> Iterator[Net]:
    """Nets whose values a register takes, and its reset."""
    yield from read(only(domain.statements, {register}))
    if register.is_reset and domain.rst is not None:
        yield domain.rst


class _Launch(NamedTuple):
    """Register, memory or reset port, and the port of its clock."""

    part: Part
    cell: Net | Memory
    clk: str


class _Launches:
    """What launches the values of nets."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._where = {net: part for part in design.top.all() for net in part.drives()}
        self._clocks: dict[Net, Net] = {}
        for part in design.top.all():
            for domain in part.domains.values():
                self._clocks |= dict.fromkeys(domain.registers, domain.clk)
                if domain.rst is not None and domain.rst not in self._where:
                    self._clocks[domain.rst] = domain.clk  # a reset that comes in, of that clock
        self._texts = {part: design.text(part) for part in design.top.all()}
        self._parents = {child: part for part in design.top.all() for child in part.children}

    def crossed(
        self, part: Part, cell: Net | Memory, clk: Net, nets: Iterable[Net]
    ) -> Iterator[Crossed]:
        """A register or memory at a clock, by what launches the values that it takes."""
        target = self._port(clk)
        for source in sorted({launch.clk for launch in self.of(nets)} - {target}):
            yield Crossed(source, target, self.path(part, cell))

    def path(self, part: Part, cell: Net | Memory) -> str:
        """Names of instances down to a register or a memory, and its own."""
        text = self._texts[part]
        names = [text.net_names[cell] if isinstance(cell, Net) else text.memory_names[cell]]
        while part is not self._design.top:
            parent = self._parents[part]
            names.append(self._texts[parent].instance_names[part])
            part = parent
        return "/".join(reversed(names))

    def _port(self, clk: Net) -> str:
        """Clock port that a clock is another name of."""
        while clk in self._where:
            term = self._where[clk].assigned[clk]
            assert isinstance(term, Bits)
            clk = term.net
        return clk.name

    def of(self, nets: Iterable[Net]) -> set[_Launch]:
        """What launches the values of these nets, over gates alone."""
        waiting, seen, found = [*nets], set[Net](), set[_Launch]()
        while waiting:
            net = waiting.pop()
            if net in seen:
                continue
            seen.add(net)
            part = self._where.get(net)
            if net in self._clocks:
                at = self._design.top if part is None else part
                found.add(_Launch(at, net, self._port(self._clocks[net])))
            elif part is not None:
                read_here = [one for one in part.memories if net in dict(one.readers)]
                for memory in read_here:
                    found |= {_Launch(part, memory, self._port(w.clk)) for w in memory.writers}
                    waiting += nets_of(dict(memory.readers)[net])
                waiting += () if read_here else part.sources(net)
        return found
