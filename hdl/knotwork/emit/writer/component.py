"""Verilog of a component: a module for it and for each within, its own last."""

from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from amaranth.hdl import ClockDomain, Fragment, Signal, Value, ValueLike
from amaranth.hdl._ast import SignalSet
from amaranth.lib.wiring import Component, In

from .crossings import Ports, dissolve, find_ports, fix_undriven, members, prune
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
    driven, undriven : list of Signal
        Signals that something in it drives, and those that it reads and nothing does.
    """

    top: Part
    ports: dict[Part, Ports]
    modules: dict[Part, str]
    driven: list[Signal]
    undriven: list[Signal]

    def text(self, part: Part) -> ModuleText:
        """Text of a module, which names its nets and the modules within."""
        return ModuleText(part, self.ports, self.modules)


def module_texts(design: Design) -> dict[str, str]:
    """Verilog of each module of a component by its name, but of those that are only placed."""
    parts = [part for part in design.top.all() if not part.module]
    return {design.modules[part]: design.text(part).text(comment(part)) for part in parts}


def member_ports(component: Component) -> list[tuple[Signal, bool]]:
    """Signals that are a component's members, of at least one bit, and whether they come in."""
    found: list[tuple[Signal, bool]] = []
    for _, member, value in component.signature.flatten(component):
        signal = Value.cast(value)  # pyright: ignore[reportArgumentType]
        assert isinstance(signal, Signal)
        if len(signal):
            found.append((signal, member.flow == In))
    return found


def component_design(
    core: object,
    name: str,
    *,
    inputs: Sequence[tuple[ValueLike, Signal]],
    outputs: Sequence[tuple[Signal, ValueLike]],
    order: Sequence[Signal],
    has_clock: bool = False,
    has_own_names: bool = False,
    asynchronous_resets: Collection[str] = (),
) -> Design:
    """Modules of a component, its own named `name`, those within ``<name>_<path>``.

    Parameters
    ----------
    core : Component or Fragment
        What to write; a fragment that a `Library` elaborated places its components.
    inputs, outputs : sequence of pairs
        Ports of the module, and the values of the component that they drive or show.
    order : sequence of Signal
        The ports in their order.
    has_clock : bool
        Give the module ``clk`` and ``rst`` even if nothing in it is clocked.
    has_own_names : bool
        The ports are the component's members, and named as these.
    asynchronous_resets : collection of str
        Clock domains from outside whose reset does not wait for the clock.
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
    design = fragment.prepare(
        ports=list(order),
        missing_domain=lambda name: ClockDomain(name, async_reset=name in asynchronous_resets),
    )
    if has_clock and "sync" not in design.fragment.domains:
        design.fragment.add_domains(ClockDomain("sync"))
    top = reader.part(design.fragment, ())
    nets = reader.nets
    wires = [nets.of(signal) for signal in order if len(signal)]
    shown = [nets.of(signal) for signal, _ in outputs if len(signal)]
    for part in top.all():
        for net, path in members(part.component, nets).items():
            if (part is not top or has_own_names) and not part.is_of_owner:
                net.name = path
    made = {net for part in top.all() for net in part.drives()}
    read = {net for part in top.all() for net in part.reads()}
    outside = [net for net in top.clocks if net not in made and (has_clock or net in read)]
    ins = [net for net in wires if net not in shown]
    undriven = fix_undriven(top, [*outside, *ins], shown)
    prune(top, shown)
    dissolve(top, nets)
    ports = find_ports(top, nets, [*outside, *ins], shown, [*outside, *wires])
    names = {part: part.module or "_".join([name, *part.path]) for part in top.all()}
    signals = nets.signals
    return Design(
        top,
        ports,
        names,
        [signals[net] for net in made if net in signals],
        [signals[net] for net in undriven if net in signals],
    )


def comment(part: Part) -> str:
    """What a module is, how long it takes, and what it is in Python."""
    kind = type(part.component)
    found = [*_documented(kind)]
    if part.is_of_owner:
        found = [f"Part {part.path[-1]} of: {found[0]}" if found else f"Part {part.path[-1]}."]
    found.append(f"In Python: {kind.__module__}.{kind.__qualname__}.")
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
