"""Systems as verbs take them: found by the keys ``node.*``, ``bus.*``, ``map.*`` and their like."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from knotwork.designs import Design
from knotwork.network import Network
from knotwork.progress import report

from .beats import beats_line
from .facts import system_facts
from .system import System
from .words import SYSTEM_KEYS

if TYPE_CHECKING:
    from knotwork.emit.package import Files
    from knotwork.routing import DeadlockReport


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

    def network_alone(self) -> Network:
        """Network without its nodes' adapters; a line on stderr says so."""
        if not self.is_plain:
            key, value = next(iter(self.system.told.items()))
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
