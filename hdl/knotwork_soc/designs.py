"""Systems as verbs take them: facts, advice and files, found by ``node.*`` and keys like it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from knotwork.designs import Design
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.progress import report
from knotwork.wording import plural

from .parameters import SYSTEM_KEYS
from .system import System

if TYPE_CHECKING:
    from knotwork.emit.package import Files
    from knotwork.routing import DeadlockReport


def flits_per_beat(system: System) -> dict[str, int]:
    """Flits of a beat that is written, and of one that is read; nothing without a bus."""
    if not system.map:
        return {}
    flit = system.network.hardware.data_width
    return {name: -(-width // flit) for name, width in system.bus.beat_widths.items()}


def single_flit_beat_width(system: System) -> int | None:
    """Least `data_width` of the network with which every beat of a bus is one flit.

    None where no flit is so wide that the streams beside the bus go with.
    """
    kind = system.network.hardware.keys()["data_width"].metadata["kind"]
    for width in range(max(system.bus.beat_widths.values()), kind.high + 1):
        try:
            if kind.accepts(system.payload_with(width).width):
                return width
        except ConfigurationError:
            continue
    return None


def beats_line(system: System) -> str | None:
    """Line for users whose beats take several flits; None where none does."""
    flits = flits_per_beat(system)
    if not flits or max(flits.values()) == 1:
        return None
    width, bus = system.network.hardware.data_width, system.bus
    line = (
        f"{system.name}: a beat of {bus.data_width} bits takes {plural(flits['write'], 'flit')} "
        f"of {width} to write and {flits['read']} to read"
    )
    wider = single_flit_beat_width(system)
    return line if wider is None else f"{line}; with data_width={wider} it takes one"


def system_facts(system: System) -> dict[str, Any]:
    """Facts by name; nothing for a network alone."""
    if system.is_plain:
        return {}
    facts: dict[str, Any] = {
        "top": system.name,
        **system.settings.as_dict(),
        "planes": [
            {"name": plane.name, "data_width": plane.network.hardware.data_width}
            for plane in system.planes
        ],
        "at": [
            {
                "node": node.index,
                "label": system.network.topology.label(node.index),
                "bus": node.bus,
                "side": node.side or None,
                "width": node.width or system.bus.data_width,
                "clock": node.clock,
            }
            for node in system.nodes
            if node.bus != "none"
        ],
    }
    if system.map:
        facts["bus"] = system.bus.as_dict()
        facts["flits_per_beat"] = flits_per_beat(system)
        facts["map"] = [{"name": name, **vars(region)} for name, region in system.map.items()]
    return facts


class SystemDesign(Design):
    """A system as verbs take it.

    Parameters
    ----------
    system : System
        What is described, checked, generated.
    """

    keys = SYSTEM_KEYS

    def __init__(self, system: System) -> None:
        super().__init__(system.network)
        self.system = system

    @classmethod
    def from_texts(
        cls, name: str, texts: Mapping[str, object], *, beside: Iterable[str] = ()
    ) -> Self:
        """Design of a network's name and ``{key: text}`` with keys of systems."""
        return cls(System.from_texts(name, texts, beside=beside))

    @property
    def name(self) -> str:
        """Name of the top module."""
        return self.system.name

    @property
    def is_plain(self) -> bool:
        """Whether it is its network and nothing else."""
        return self.system.is_plain

    @property
    def deadlock_report(self) -> "DeadlockReport":
        """Outcome of the deadlock check of all planes."""
        return self.system.deadlock_report

    def require_deadlock_free(self) -> None:
        """Refuse a system that failed its deadlock check; see `System.require_deadlock_free`."""
        self.system.require_deadlock_free()

    def bare_network(self) -> Network:
        """Network without its nodes' adapters; a line on stderr says so."""
        if not self.is_plain:
            key, value = next(iter(self.system.overrides.items()))
            report(
                f"{self.name}: the network alone, without its nodes' adapters ({key}={value} ...)"
            )
        return self.network

    def facts(self) -> dict[str, object]:
        """Facts of the system, by name; none of a plain one."""
        facts = system_facts(self.system)
        return {"system": facts} if facts else {}

    def print_facts(self) -> None:
        """Print planes, nodes and address map as tables; nothing of a plain system."""
        from knotwork.cli import output

        system, facts = self.system, system_facts(self.system)
        if not facts:
            return
        planes = {
            f"plane {plane.name}": f"{plane.network.hardware.data_width} bits per flit"
            for plane in system.planes
        }
        output.facts(f"{system.name}: system", {**system.settings.as_dict(), **planes})
        nodes = facts["at"]
        output.table("Nodes", tuple(nodes[0]), [tuple(each.values()) for each in nodes])
        if system.map:
            regions = [(name, str(region), region.node) for name, region in system.map.items()]
            output.table("Address map", ("region", "addresses", "node"), regions)
            flits = facts["flits_per_beat"]
            beats = {f"flits per beat, {name}": count for name, count in flits.items()}
            output.facts("Bus", system.bus.as_dict() | beats)

    def advice(self) -> Sequence[str]:
        """Line of a bus whose beats take several flits."""
        line = beats_line(self.system)
        return () if line is None else (line,)

    def files(
        self,
        *,
        keep_hierarchy: bool = False,
        testbench: bool = False,
        flows: Sequence[str] = (),
        hints: bool = False,
        split: bool = False,
    ) -> "Files":
        """Files that ``generate`` writes, as `emit.system_files` makes them."""
        from .emit import system_files

        return system_files(
            self.system,
            keep_hierarchy=keep_hierarchy,
            testbench=testbench,
            flows=flows,
            hints=hints,
            split=split,
        )
