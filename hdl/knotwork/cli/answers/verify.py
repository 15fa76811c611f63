"""Answer of `verify`: the outcome of each property of each module."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...emit.modules import router_verilog
from ...errors import ConfigurationError
from ...formal import FAILED, Result, parts, prove_part, prove_router, require_proofs, unproven
from ...network import Network, RouterKind
from ...wording import not_one_of
from .. import output


@dataclass(frozen=True)
class ProvenModule:
    """Outcomes of one module's properties.

    Members
    -------
    name : str
        Name of the module.
    title : str
        Title of its table.
    results : tuple of Result
        One per property.
    """

    name: str
    title: str
    results: tuple[Result, ...]

    @property
    def has_failed(self) -> bool:
        """Whether a property is false, or a case that it must reach cannot occur."""
        return any(result.result == FAILED for result in self.results)


def chosen_kinds(network: Network, name: str | None, *, every: bool) -> list[RouterKind]:
    """Kinds of routers to prove: the named one, all, or the one with most turns.

    Raises
    ------
    ConfigurationError
        The network has no kind of that name.
    """
    kinds = network.router_kinds
    if every:
        return list(kinds)
    if name is None:
        return [max(kinds, key=lambda kind: len(kind.turns))]
    chosen = [kind for kind in kinds if name in (kind.name, kind.role)]
    if not chosen:
        known = [kind.role for kind in kinds]
        raise ConfigurationError(not_one_of(f"{network.name}: --router", known, name))
    return chosen


def prove_modules(
    network: Network, kinds: Sequence[RouterKind], *, with_parts: bool, traces: Path
) -> list[ProvenModule]:
    """Outcomes of these kinds of routers and, if wanted, of what the network has beside them.

    Parameters
    ----------
    network : Network
        Its router class must have proofs.
    kinds : sequence of RouterKind
        Kinds to prove.
    with_parts : bool
        Whether interfaces of nodes and a controller are proven too, where there are such.
    traces : Path
        Folder for waveforms of what fails.

    Raises
    ------
    ConfigurationError
        There are no proofs for such a network.
    """
    require_proofs(network)
    share = f"({len(kinds)} of {len(network.router_kinds)} kinds of routers)"
    proven = []
    for kind in kinds:
        verilog = router_verilog(network, kind)
        results = tuple(prove_router(network, kind, verilog, traces=traces))
        proven.append(ProvenModule(kind.name, f"{kind.name} {share}", results))
    for part in parts(network) if with_parts else ():
        verilog = part.verilog(network, part.name)
        results = tuple(prove_part(network, part, verilog, traces=traces))
        proven.append(ProvenModule(part.name, part.name, results))
    return proven


def proof_answer(network: Network, modules: Iterable[ProvenModule]) -> dict[str, object]:
    """Outcomes by the names that `verify` promises."""
    rows = [
        {**asdict(result), "router": module.name} for module in modules for result in module.results
    ]
    return {"network": network.name, "properties": rows, "unproven": [*unproven(network)]}


def print_proofs(network: Network, modules: Iterable[ProvenModule]) -> None:
    """Print a table for each module, and of what nothing is proven."""
    columns = ("property", "result", "depth", "seconds", "what it says")
    for module in modules:
        rows = [
            (
                result.name,
                result.result,
                result.depth,
                f"{result.seconds:.1f}",
                f"{result.text}; {result.reason}" if result.reason else result.text,
            )
            for result in module.results
        ]
        output.table(module.title, columns, rows)
    for one in unproven(network):
        output.console().print(f"Not proven: {one}.")
