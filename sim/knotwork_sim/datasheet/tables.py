"""Tables of a datasheet: facts, cost, freedom from deadlock, ports, and the latency curve."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from knotwork.cli import output
from knotwork.cli.answers.check import deadlock_answer
from knotwork.cli.answers.compare import compare_network
from knotwork.cli.answers.describe import describe_network
from knotwork.costs import estimated_cost
from knotwork.emit import ports as emitted
from knotwork.emit.ports import network_wide_ports, port_name, port_widths
from knotwork.errors import ConfigurationError
from knotwork.formal import require_proofs
from knotwork.gateware.collectives import plan
from knotwork.network import Network

from ..sweep.load import Entry, LoadSweep, run_sweep
from ..sweep.load_result import Window
from ..sweep.rates import parse_rates
from ..traffic.keys import Traffic

Data = dict[str, object]
"""What the page reads: plain data, as JSON has it."""


class Table(NamedTuple):
    """Table of a datasheet.

    Members
    -------
    title : str
        What it says.
    command : str
        Command line that gives it.
    columns : tuple of str
        Headings.
    rows : list of list of str
        Cells.
    """

    title: str
    command: str
    columns: tuple[str, ...]
    rows: list[list[str]]

    @classmethod
    def of_facts(cls, title: str, command: str, facts: Mapping[str, object]) -> "Table":
        """Table of facts, one per row, worded as the commands word them."""
        rows = [[name.replace("_", " "), output.text(value)] for name, value in facts.items()]
        return cls(title, command, ("fact", "value"), rows)

    @classmethod
    def of_rows(
        cls, title: str, command: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
    ) -> "Table":
        """Table of several columns, its cells worded as the commands word them."""
        return cls(title, command, tuple(columns), [[output.text(c) for c in row] for row in rows])

    def as_json(self) -> Data:
        """Table as the page reads it."""
        return self._asdict()


def or_reason(made: Callable[[], Data]) -> Data:
    """Part of a datasheet, or the line that says why the network has none."""
    try:
        return made()
    except ConfigurationError as error:
        return {"reason": str(error)}


NODE = "<i>"
"""Stands for a node's index in the ports of a node."""


class Port(NamedTuple):
    """Port of the top module.

    Members
    -------
    name : str
        Its name; of a node's, with `NODE` in place of the index.
    direction : str
        ``input`` or ``output``.
    bits : int
        Its width.
    """

    name: str
    direction: str
    bits: int


def shared_ports(network: Network) -> list[Port]:
    """Ports that the network has once, clock and reset first."""
    return [Port("clk", "input", 1), Port("rst", "input", 1), *_listed(network_wide_ports(network))]


def node_ports(network: Network) -> list[Port]:
    """Ports that it has for every node, named with `NODE`."""
    first = rf"^([sm]_axis|refused)_{port_name(network, 0)}(?=_|$)"
    found = _listed(emitted.node_ports(network, 0))
    return [port._replace(name=re.sub(first, rf"\1_{NODE}", port.name)) for port in found]


class GroupPorts(NamedTuple):
    """Ports of the members of a group that has collectives.

    Members
    -------
    members : list of int
        Nodes of the group.
    ports : list of Port
        Those that it has for every member, named with `NODE`.
    """

    members: list[int]
    ports: list[Port]


def group_ports(network: Network) -> list[GroupPorts]:
    """Ports of each group that has collectives."""
    found = []
    for group in network.collective_groups:
        first, *_ = members = [*group.tree.members]
        name = port_name(network, first)
        listed = _listed(port_widths(network, plan.group_ports(network, group)))
        of_first = rf"^((?:[sm]_axis_)?{group.name}(?:_[a-z]+)?)_{name}(?=_t|$)"
        ports = [
            port._replace(name=re.sub(of_first, rf"\1_{NODE}", port.name))
            for port in listed
            if re.match(of_first, port.name)
        ]
        found.append(GroupPorts(members, ports))
    return found


def _listed(ports: tuple[dict[str, int], dict[str, int]]) -> list[Port]:
    """Inputs, then outputs."""
    directions = zip(ports, ("input", "output"), strict=True)
    return [
        Port(name, direction, bits)
        for widths, direction in directions
        for name, bits in widths.items()
    ]


def instance(network: Network) -> str:
    """Verilog that declares a wire for each port and places the network."""
    ports = shared_ports(network)
    for node in range(network.topology.nodes):
        ports += _listed(emitted.node_ports(network, node))
    ports += _listed(emitted.collective_ports(network))
    wires = [f"wire {_range(port.bits)}{port.name};" for port in ports]
    pins = [f"    .{port.name}({port.name})" for port in ports]
    return "\n".join([*wires, "", f"{network.name} network (", ",\n".join(pins), ");", ""])


def _range(bits: int) -> str:
    return f"[{bits - 1}:0] " if bits > 1 else ""


def ports(network: Network, words: str) -> Data:
    """Ports and what makes them; the page writes the instance from the same."""
    return {
        "command": f"knotwork generate {words} -o build/{network.name}",
        "top": network.name,
        "shared": [list(port) for port in shared_ports(network)],
        "node": [list(port) for port in node_ports(network)],
        "groups": [
            {"members": one.members, "ports": [list(port) for port in one.ports]}
            for one in group_ports(network)
        ],
    }


MEASURE = 2000
"""Cycles that are measured unless the user says otherwise: enough for a figure on a page."""


def curve_sweep(
    networks: Sequence[Network], words: Sequence[str], rates: str, measure: int = MEASURE
) -> LoadSweep:
    """Sweep that measures the networks' curves under uniform traffic.

    Raises
    ------
    ConfigurationError
        Rates that are no range of loads.
    """
    entries = [Entry(word, network) for word, network in zip(words, networks, strict=True)]
    window = Window(measure=measure)
    return LoadSweep(entries, Traffic(), rates=parse_rates(rates, option="--curve"), window=window)


def curves(sweep: LoadSweep, rates: str) -> list[Data]:
    """Points of each network of a sweep, with the command that measures them."""
    measured = run_sweep(sweep)
    return [
        {
            "command": f"knotwork sweep {entry.label} --rates {rates} "
            f"--measure {sweep.window.measure}",
            "points": [
                [point.offered, point.accepted, point.latency.mean, point.saturated]
                for point in found.points
            ],
        }
        for entry, found in zip(sweep.entries, measured.curves, strict=True)
    ]


GROUPS = (2, 4, 8, 16, 32)
"""Sizes of groups of nodes that are compared, as `compare` does by default."""


def facts(network: Network, words: str) -> list[Data]:
    """Facts of `describe`, the estimated cost, and the outcome of `check`."""
    return [described(network, words), cost(network, words), check(network, words)]


def described(network: Network, words: str) -> Data:
    """Facts of `describe`."""
    cells = describe_network(network).cells()
    known = {key: value for key, value in cells.items() if value is not None}
    return Table.of_facts("Facts", f"knotwork describe {words}", known).as_json()


def cost(network: Network, words: str) -> Data:
    """Estimated area and frequency, or why there is no estimate."""
    title, command = "Estimated cost", f"knotwork describe {words} --cost"
    try:
        cells = estimated_cost(network).cells()
    except ConfigurationError as error:
        return {"title": title, "command": command, "reason": str(error)}
    return Table.of_facts(title, command, cells).as_json()


def check(network: Network, words: str) -> Data:
    """Outcome of the deadlock check, or why there is none."""
    title, command = "Freedom from deadlock", f"knotwork check {words}"
    try:
        cells = deadlock_answer(network.deadlock_report)
    except ConfigurationError as error:
        return {"title": title, "command": command, "reason": str(error)}
    cycle = cells.pop("cycle")
    if cycle:
        cells["cycle"] = cycle
    cells = {key: value for key, value in cells.items() if value is not None}
    return Table.of_facts(title, command, cells).as_json()


def proofs(network: Network, words: str) -> Data:
    """Command that proves the routers, or why there are no proofs."""
    try:
        require_proofs(network)
    except ConfigurationError as error:
        return {"reason": str(error)}
    return {"command": f"knotwork verify {words}", "every": f"knotwork verify {words} --all"}


def comparison(networks: Sequence[Network], words: Sequence[str]) -> Data | None:
    """Facts of several networks side by side, as `compare` prints them; None for one network."""
    if len(networks) < 2:
        return None
    cells = [compare_network(network, list(GROUPS)).cells() for network in networks]
    known = dict.fromkeys(fact for facts in cells for fact in facts)
    rows = [(fact.replace("_", " "), *(facts.get(fact, "") for facts in cells)) for fact in known]
    columns = ("fact", *(network.name for network in networks))
    command = f"knotwork compare {' '.join(words)}"
    return Table.of_rows("Side by side", command, columns, rows).as_json()
