"""Who may import whom: every import goes down, between rooms and inside each."""

from collections.abc import Collection, Iterable, Mapping, Sequence

SIDES = " | "
"""Parts rooms of one floor that do not import each other."""

ROUTER_CLASSES = "packet | circuit | batch | deflection"

FLOORS: dict[str, tuple[str, ...]] = {
    "": ("knotwork", "knotwork_sim | knotwork_boards"),
    "knotwork": (
        "errors interrupts pictures progress shipped untyped wording",
        "files csv_columns",
        "builds",
        "tools",
        "parameters",
        "topology",
        "routing",
        "own router_kind network_capabilities",
        "network_name network_words",
        "network",
        "broadcasts estimates",
        "gateware",
        "emit",
        "formal",
        "drawing",
        "cli",
    ),
    "knotwork.builds": ("processes", "folders"),
    "knotwork.estimates": ("work", "networks"),
    "knotwork.parameters": ("kinds", "base identifier", "router", ROUTER_CLASSES),
    "knotwork.topology": (
        "metrics cliques johnson",
        "addressed_graph",
        "base",
        "binary digits factors levels",
        "rows accounting product rings graph_file",
        "NETWORKS",
        "comparison altered",
    ),
    "knotwork.routing": (
        "circuits exchanges options rules compiled",
        "broadcast",
        "routing_rule",
        "walks",
        "base",
        "table_file altered",
        "made",
        "deadlock deflection dimension_order product scheduling __init__",
        "batch multicast",
        "NETWORKS",
        "buildable router_classes",
        "network_keys",
    ),
    "knotwork.routing.made": (
        "ranks loops balance_loops least rate_matrix",
        "paths tables updown",
        "bound plan",
        "shortest | balance | quality",
        "routing",
        "routings",
    ),
    "knotwork.gateware": (
        "layouts router_class networks.__init__",
        "parts",
        ROUTER_CLASSES,
        "networks router_classes",
        "fabric",
    ),
    "knotwork.emit": (
        "ports writer",
        "loading",
        ROUTER_CLASSES,
        "modules instance manifest testbench top_parts",
        "verilog",
        "package",
    ),
    "knotwork.emit.writer": (
        "terms names",
        "slices printing",
        "values",
        "statements",
        "expressions",
        "assertions",
        "design",
        "crossings",
        "aliases",
        "pieces procedures",
        "module",
        "component",
    ),
    "knotwork.formal": (
        "harness",
        "property",
        "problems",
        "prover router_proofs",
        ROUTER_CLASSES,
        "proofs",
    ),
    "knotwork.formal.packet": (
        "rule_turns",
        "observed",
        "branching router_harness",
        "harness",
        "reachable_headers | claims",
        "properties | credits | loaded",
    ),
    "knotwork.drawing": (
        "formats",
        "links spacing curve badges",
        "link_curves highlights boxes graph_files",
        "style trees",
        "legend arrows",
        "panels",
        "svg",
        "notebook",
    ),
    "knotwork.drawing.panels": ("panel steps", "grid unfolded"),
    "knotwork.drawing.graph_files": ("graphml", "topologies dependences", "__init__"),
    "knotwork.cli": (
        "checkup words_completion shells output",
        "command",
        "options",
        "message_options",
        "answers",
        "verbs",
        "main",
        "entry",
    ),
    "knotwork_sim": (
        "columns compiled",
        "traffic",
        "model",
        "scoreboard",
        "rtl",
        "testbench | check",
        "sweep",
        "search survive estimates",
        "checkup verbs",
    ),
    "knotwork_sim.traffic": (
        "given",
        "jump_tables keys",
        "packets patterns requirements arrivals",
        "addresses copies endpoints",
        "packet_table",
        "batches drawn listed replies schedules",
        "make",
    ),
    "knotwork_sim.traffic.given": ("packet_file", "columns", "packet_list"),
    "knotwork_sim.traffic.patterns": ("law", "fixed measured mixed spread", "registry"),
    "knotwork_sim.model": ("tally", "record log", "router_model watched", ROUTER_CLASSES, "run"),
    "knotwork_sim.scoreboard": (
        "deliveries exact_cycles sent_packet network_facts lossy",
        "expected ways",
        "mismatch",
        "faults",
        "arrivals inexact losses",
        "scoreboard replay",
    ),
    "knotwork_sim.rtl": (
        "compilation job judge wrapper",
        "cocotb_test",
        "executable verilator",
        "waveform cocotb_run",
        "driver",
    ),
    "knotwork_sim.testbench": (
        "manifest observation scheduled",
        "golden ports",
        "ends headers verdicts watcher runner",
        "judge stimulus",
        "network_testbench upsets",
    ),
    "knotwork_sim.check": (
        "confidence engines histogram latency links memory score",
        "fates result",
        "simulate",
        "repeat",
        "from_python",
    ),
    "knotwork_sim.sweep": (
        "channel_load families laws load_result rates results steady_state swept_keys workers",
        "growth",
        "plots point zero_load",
        "load",
        "from_python",
    ),
    "knotwork_sim.search": (
        "walks bounds graphs published",
        "swaps figures graph_files",
        "improve",
        "circulants rows",
        "plan",
        "run",
        "drawing",
    ),
    "knotwork_sim.survive": ("dead_sets", "fate", "run"),
    "knotwork_sim.sweep.plots": ("figures", "growth_plots load_plots"),
    "knotwork_boards": (
        "untyped",
        "table place_and_route monitor checkup",
        "selftest",
        "board_top cells",
        "build_plan",
        "flow",
        "commands demo",
    ),
    "knotwork_boards.selftest": (
        "decimal fault lfsr node_test packet_format tally uart",
        "router_self_test window_line",
        "packet | batch | deflection",
        "circuit",
        "registry",
        "self_test",
        "verilog",
    ),
}
"""Floors inside each package, from the ground up: files and rooms import their own floor and those
below. A package's ``__init__`` is its front door, above all floors where it is not named. A package
that is not named has no other law than that there are no circles."""


def upward(
    module: str,
    imported: Iterable[str],
    floors: Sequence[str],
    package: str,
    networks: Sequence[str],
) -> list[str]:
    """Imports of a module that go up within a package, or across to another side of its floor.

    Parameters
    ----------
    module : str
        Dotted name; that of a package ends in ``.__init__``.
    imported : iterable of str
        Names of the same form.
    floors : sequence of str
        Floors of the package, as in `FLOORS`.
    package : str
        Name of the package; empty for all roots.
    networks : sequence of str
        Names that ``NETWORKS`` stands for.
    """
    places = _places(floors, networks)
    inside = f"{package}." if package else ""
    if not module.startswith(inside):
        return []
    own, place = _place(module.removeprefix(inside), places)
    if place is None:
        return [f"{module}: {own} must have a floor in {package}"]
    found = []
    for name in imported:
        if not name.startswith(inside):
            continue
        other, there = _place(name.removeprefix(inside), places)
        if there is None or other == own:
            continue  # a module without a floor is told of by itself
        if there[0] > place[0]:
            found.append(f"{module} imports upwards: {name}")
        elif there[0] == place[0] and there[1] != place[1]:
            found.append(f"{module} imports across: {name}")
    return found


def _place(name: str, places: Mapping[str, tuple[int, int]]) -> tuple[str, tuple[int, int] | None]:
    """Unit of a package that has a module, and its floor and side; None if it has none."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        unit = ".".join(parts[:count])
        if unit in places:
            return unit, places[unit]
    return parts[0], None


def _places(floors: Sequence[str], networks: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Floor and side of each unit of a package."""
    found: dict[str, tuple[int, int]] = {}
    for floor, line in enumerate(floors):
        for side, units in enumerate(line.split(SIDES)):
            for unit in units.split():
                names = networks if unit == "NETWORKS" else [unit]
                found |= {name: (floor, side) for name in names if name not in found}
    return {"__init__": (len(floors), 0)} | found


def vacant(packages: Mapping[str, Sequence[str]], modules: Collection[str]) -> list[str]:
    """Units in a law that are no modules any more."""
    found = []
    for package, floors in packages.items():
        for unit in " ".join(floors).replace("|", " ").split():
            name = f"{package}.{unit}".removeprefix(".").removesuffix(".__init__")
            if unit != "NETWORKS" and name not in modules:
                found.append(f"{name} has a floor and is not there")
    return found
