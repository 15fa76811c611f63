"""Verb verify: proofs of a network's routers."""

from functools import partial
from pathlib import Path

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, network_words, start_networks, work_limit


@verb(
    examples=[
        "verify hypercube n=2",
        "verify hypercube:n=3 --all",
        "verify lcan d=2 u=2 levels=2 --json",
    ],
    writes="A table of properties for each module. Where one fails, a waveform in "
    "build/NAME/verify, or in DIR.",
)
@network_words
@click.option(
    "--router", "kind", metavar="KIND", help="Router to prove [the one with the most turns]."
)
@click.option("--all", "every", is_flag=True, help="Prove all distinct routers of the network.")
@click.option(
    "--traces", type=Path, metavar="DIR", help="Folder of waveforms [build/<name>/verify]."
)
@work_limit
@as_json
@click.pass_context
def verify(
    context: click.Context,
    *,
    words: tuple[str, ...],
    kind: str | None,
    every: bool,
    traces: Path | None,
    as_json: bool,
) -> None:
    """Prove properties of a network's routers on their Verilog.

    Unless --router names one router, the proofs also cover the network's other parts: the node
    interfaces and the controller. Exit status 1 if a property is false or a required case cannot
    occur.
    """
    from ...designs import read_network
    from ...estimates.networks import verify_work
    from ...formal import require_proofs
    from ..answers import verify as answer

    network = read_network(words)
    require_proofs(network)
    start_networks("verify", [network], partial(verify_work, every=every))
    network.require_deadlock_free()
    if kind is not None and every:
        raise ConfigurationError("verify: one of --router and --all must be given, not both")
    kinds = answer.chosen_kinds(network, kind, every=every)
    traces = traces or Path("build") / network.name / "verify"
    modules = answer.prove_modules(network, kinds, with_parts=kind is None, traces=traces)
    if as_json:
        output.print_json(answer.proof_answer(network, modules))
    else:
        answer.print_proofs(network, modules)
    if any(module.has_failed for module in modules):
        context.exit(1)
