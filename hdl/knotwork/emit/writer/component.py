"""Verilog of a component: a module for it and for each within, its own last."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from amaranth.hdl import ClockDomain, Fragment, Signal, Value, ValueLike
from amaranth.hdl._ast import SignalSet

from .crossings import Ports, find_ports, fix_undriven, members, prune
from .design import Reader
from .module import ModuleText
from .parts import Part

_COLUMNS = 96
"""Columns of a comment."""


class Design(NamedTuple):
    """Modules of a component.

    Members
    -------
    top : Part
        Its own.
    ports : dict of Part to Ports
        Ports of each.
    modules : dict of Part to str
        Name of each.
    """

    top: Part
    ports: dict[Part, Ports]
    modules: dict[Part, str]

    def text(self, part: Part) -> ModuleText:
        """Text of a module, which names its nets and the modules within."""
        return ModuleText(part, self.ports, self.modules)


def component_verilog(design: Design) -> str:
    """Verilog of a component's modules, its own last."""
    top = design.modules[design.top]
    return "\n".join(design.text(part).text(comment(part, top)) for part in design.top.all())


def component_design(
    core: object,
    name: str,
    *,
    inputs: Sequence[tuple[ValueLike, Signal]],
    outputs: Sequence[tuple[Signal, ValueLike]],
    order: Sequence[Signal],
    has_clock: bool = False,
) -> Design:
    """Modules of a component, its own named `name`, those within ``<name>_<path>``.

    Parameters
    ----------
    core : Component
        What to write.
    inputs, outputs : sequence of pairs
        Ports of the module, and the values of the component that they drive or show.
    order : sequence of Signal
        The ports in their order.
    has_clock : bool
        Give the module ``clk`` and ``rst`` even if nothing in it is clocked.
    """
    fragment = Fragment.get(core, None)
    port_set = SignalSet(order)
    reader = Reader(name)
    for one, other in (*inputs, *outputs):
        target, value = Value.cast(one), Value.cast(other)
        if isinstance(target, Signal) and isinstance(value, Signal):
            port, inner = (value, target) if value in port_set else (target, value)
            reader.nets.join(port, inner)
        else:
            fragment.add_statements("comb", target.eq(value))
    design = fragment.prepare(ports=list(order))
    if has_clock and "sync" not in design.fragment.domains:
        design.fragment.add_domains(ClockDomain("sync"))
    top = reader.part(design.fragment, ())
    nets = reader.nets
    wires = [nets.of(signal) for signal in order if len(signal)]
    shown = [nets.of(signal) for signal, _ in outputs if len(signal)]
    for part in top.all():
        for net, path in members(part.component, nets).items():
            if part is not top and not part.is_of_owner:
                net.name = path
    made = {net for part in top.all() for net in part.drives()}
    outside = [net for net in top.clocks if net not in made]
    ins = [net for net in wires if net not in shown]
    fix_undriven(top, [*outside, *ins], shown)
    prune(top, shown)
    ports = find_ports(top, nets, [*outside, *ins], shown, [*outside, *wires])
    return Design(top, ports, {part: "_".join([name, *part.path]) for part in top.all()})


def comment(part: Part, top: str) -> str:
    """What a module is, how long it takes, and where it stands."""
    kind = type(part.component)
    found = [*_documented(kind)]
    if part.is_of_owner:
        found = [f"Part {part.path[-1]} of: {found[0]}" if found else f"Part {part.path[-1]}."]
    place = f"Place: {'.'.join([top, *part.path])};"
    python = f"in Python {kind.__module__}.{kind.__qualname__}."
    # A name is looked for as a whole: no line breaks within one.
    found += [f"{place} {python}"] if len(place) + len(python) < _COLUMNS else [place, python]
    return "".join(f"// {line}\n" for line in found)


def _documented(kind: type) -> Iterator[str]:
    """First line of the docstring, and the section on latency."""
    text = (kind.__doc__ or "").strip()
    lines = [line.strip() for line in text.splitlines()]
    if not lines:
        return
    yield lines[0].replace("`", "")
    if "Latency" in lines:
        rest = lines[lines.index("Latency") + 2 :]
        section = []
        for line in rest:
            if not line:
                break
            section.append(line)
        said = " ".join(section).replace("``", "").replace("`", "")
        yield from wrap(f"Latency: {said}", _COLUMNS)
