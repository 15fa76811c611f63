"""Nets over a whole design: ports of modules; what nothing drives; what nothing reads."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from amaranth.hdl import Value
from amaranth.lib.wiring import Component

from .parts import Part
from .statements import only
from .terms import Constant, Net
from .values import Nets


@dataclass(eq=False)
class Ports:
    """Ports of a module, in order: net, and whether it comes in."""

    directions: dict[Net, bool] = field(default_factory=dict)

    @property
    def inputs(self) -> list[Net]:
        """Nets that come in."""
        return [net for net, comes in self.directions.items() if comes]

    @property
    def outputs(self) -> list[Net]:
        """Nets that go out."""
        return [net for net, comes in self.directions.items() if not comes]


def find_ports(
    top: Part, nets: Nets, inputs: Sequence[Net], outputs: Sequence[Net], order: Sequence[Net]
) -> dict[Part, Ports]:
    """Ports of every module; the top has all of `order`.

    A net crosses the border of each module between the one that drives it and those that read it.
    """
    parents = {child: part for part in top.all() for child in part.children}
    drivers: dict[Net, Part | None] = dict.fromkeys(inputs)
    drivers |= {net: part for part in top.all() for net in part.drives()}
    crossing: dict[Part, dict[Net, bool]] = {part: {} for part in top.all()}

    def above(part: Part | None) -> list[Part]:
        found: list[Part] = []
        while part is not None:
            found.append(part)
            part = parents.get(part)
        return found

    for part in top.all():
        for net in dict.fromkeys(part.reads()):
            if net not in drivers:
                continue
            source, target = above(drivers[net]), above(part)
            for one in target:
                if one not in source:
                    crossing[one][net] = True
            for one in source:
                if one not in target:
                    crossing[one][net] = False
    for net in outputs:
        for one in above(drivers.get(net)):
            crossing[one][net] = False
    found = {
        part: Ports(
            {net: pin.comes_in for net, pin in part.pins.items()}
            if part.module
            else _ordered(part, nets, directions)
        )
        for part, directions in crossing.items()
    }
    directions = {net: net not in outputs for net in order}
    first = [net for net in found[top].directions if net not in directions]
    found[top] = Ports({**dict.fromkeys(first, True), **directions})
    return found


def members(component: object, nets: Nets) -> dict[Net, str]:
    """Name in Python of each member of a component."""
    if not isinstance(component, Component):
        return {}
    found: dict[Net, str] = {}
    for path, _, value in component.signature.flatten(component):
        net = nets.of(Value.cast(value))  # pyright: ignore[reportArgumentType]
        found[net] = "_".join(map(str, path))
    return found


def _ordered(part: Part, nets: Nets, directions: dict[Net, bool]) -> dict[Net, bool]:
    """Clock and reset, then the component's members, then what else crosses."""
    clocks = [net for net in part.clocks if net in directions]
    described = [] if part.is_of_owner else [*members(part.component, nets)]
    described = [net for net in described if net in directions]
    first = dict.fromkeys([*clocks, *described])
    return {net: directions[net] for net in (*first, *(n for n in directions if n not in first))}


def fix_undriven(top: Part, inputs: Sequence[Net], outputs: Sequence[Net]) -> list[Net]:
    """Give what nothing drives its initial value; these are the nets."""
    driven_nets = {*inputs, *(net for part in top.all() for net in part.drives())}
    parents = {child: part for part in top.all() for child in part.children}
    found = dict.fromkeys(net for net in outputs if net not in driven_nets)
    for net in found:
        top.assigned[net] = Constant(net.width, net.init)
    for part in top.all():
        owner = parents[part] if part.module else part
        for net in dict.fromkeys(part.reads()):
            if net not in driven_nets and net not in owner.assigned:
                owner.assigned[net] = Constant(net.width, net.init)
                found[net] = None
    return [*found]


def prune(top: Part, outputs: Sequence[Net]) -> None:
    """Leave out what neither an output nor an assertion depends on."""
    parts = [*top.all()]
    where = {net: part for part in parts for net in part.drives()}
    waiting = [*outputs]
    for part in parts:
        for assertion in part.assertions:
            waiting += assertion.nets
    live: set[Net] = set()
    while waiting:
        net = waiting.pop()
        if net not in live:
            live.add(net)
            if net in where:
                waiting += where[net].sources(net)
    for part in parts:
        part.assigned = {net: term for net, term in part.assigned.items() if net in live}
        part.choices = {net: body for net, body in part.choices.items() if net in live}
        for domain in part.domains.values():
            domain.registers = {net: None for net in domain.registers if net in live}
            domain.statements = only(domain.statements, set(domain.registers))
        for memory in part.memories:
            memory.readers = [one for one in memory.readers if one[0] in live]
        part.memories = [memory for memory in part.memories if memory.readers]
        part.children = [child for child in part.children if _is_used(child, live)]


def _is_used(part: Part, live: set[Net]) -> bool:
    """Whether something depends on a part, of a module that is placed on any of its outputs."""
    return any(net in live for net in part.drives()) if part.module else not part.is_empty


def dissolve(top: Part, nets: Nets) -> None:
    """Let what is expressions alone stand in the module around it, its nets under its name."""
    for part in [*top.all()]:
        for child in [one for one in part.children if one.is_expressions]:
            outer = members(part.component, nets)
            inner = {} if child.is_of_owner else members(child.component, nets)
            for net in dict.fromkeys([*inner, *child.assigned]):
                if net not in outer:
                    net.name = f"{child.path[-1]}_{inner.get(net, net.name)}"
                    net.is_pin = net in inner
            part.merge(child)
