"""Verb draw: a picture of a network."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..message_options import MessageRequest, message_options
from ..options import (
    STDOUT,
    IntegerType,
    OneOf,
    as_json,
    multicast_order,
    picture_format,
    read_networks,
    require_distinct,
    several_networks,
    start_networks,
    stdout_kind,
    work_limit,
)

if TYPE_CHECKING:
    from ...network import Network


@verb(
    examples=[
        "draw hypercube n=4",
        "draw moebius n=4 --route 0 15 -o cube.svg",
        "draw wk:w=4,levels=2 --broadcast 0",
        "draw moebius n=4 routing=set_spr --tree 0",
        "draw mesh x=4 y=4 collectives=yes --collectives 0",
        "draw lcan d=3 u=2 levels=2 --permutation random",
        "draw lcan d=2 u=2 levels=3 --unfolded --route 0 2",
        "draw torus x=6 y=4 ring_code=johnson --labels address",
        "draw hypercube n=3 --permutation reversal --step 2 -o step.svg",
    ],
    writes="build/NAME.svg for each network, or FILE. Prints the path.",
)
@several_networks
@click.option(
    "-o",
    "file",
    type=Path,
    metavar="FILE",
    help="Drawing, .svg, .png or .pdf, or - for stdout [build/<name>.svg].",
)
@picture_format
@click.option("--route", nargs=2, metavar="SRC DST", help="Highlight a packet's path.")
@click.option(
    "--multicast", nargs=2, metavar="SRC DST,DST,...", help="Highlight a multicast's rounds."
)
@click.option("--broadcast", metavar="SRC", help="Highlight a broadcast's tree.")
@click.option("--tree", metavar="SRC", help="Draw the tree of paths from a node to all others.")
@click.option(
    "--collectives",
    type=IntegerType(0),
    metavar="K",
    help="Draw the tree of group K, from 0, of a network with collectives=yes.",
)
@click.option(
    "--unfolded",
    is_flag=True,
    help="Draw a network of circuits unfolded: its stages up and down again, from left to right.",
)
@click.option(
    "--labels",
    type=OneOf(("label", "index", "address")),
    default="label",
    help="Name nodes by label, index or hardware address [label].",
)
@multicast_order
@message_options
@click.option(
    "--step",
    type=IntegerType(1),
    metavar="K",
    help="With --permutation or --messages, draw only step K.",
)
@click.option(
    "--frames",
    is_flag=True,
    help="With --permutation or --messages, write a file per step: <name>_1.svg, <name>_2.svg, ...",
)
@work_limit
@as_json
def draw(
    *,
    words: tuple[str, ...],
    file: Path | None,
    picture_kind: str | None,
    order: str | None,
    step: int | None,
    frames: bool,
    unfolded: bool,
    labels: str,
    as_json: bool,
    **request: Any,
) -> None:
    """Draw networks as SVG, PNG or PDF.

    With --permutation or --messages, a picture shows the network once per step of their schedule:
    the circuits of each network cycle, or the packets of a batch that move.
    """
    sent = MessageRequest(**{name: request.pop(name) for name in MessageRequest._fields})
    sent.require("draw", one=False)
    _require_one(sent, request, order, unfolded=unfolded)
    if step is not None or frames:
        _require_steps(sent, file, step, frames=frames)
    from ...drawing import formats
    from ...drawing.svg import draw_network
    from ...estimates.networks import draw_work
    from ...files import write_files
    from ..answers.steps import draw_schedule

    networks = read_networks(words)
    start_networks("draw", networks, draw_work)
    require_distinct(networks)
    if file is not None and len(networks) > 1:
        raise ConfigurationError(
            f"draw: -o must be used with one network, not {len(networks)}: several are written to "
            "build/<name>.svg"
        )
    shown_kind = stdout_kind("draw", file, picture_kind, as_json)
    kind = shown_kind or ("svg" if file is None else file.suffix[1:])
    if kind not in formats.KINDS:
        raise ConfigurationError(
            f"draw: FILE must be - or end in .svg, .png or .pdf, not {str(file)!r}"
        )
    drawings = {}
    for network in networks:
        path = file or Path("build") / f"{network.name}.svg"
        if sent.is_any:
            drawn = draw_schedule(network, sent, step=step, apart=frames, labels=labels)
        else:
            shown = _shown(network, order, **request)
            drawn = [draw_network(network, unfolded=unfolded, labels=labels, **shown)]
        for number, one in enumerate(drawn, start=1):
            place = path.with_stem(f"{path.stem}_{number}") if frames else path
            drawings[place] = formats.picture(one, kind)
    if shown_kind is not None:
        output.print_bytes(*drawings.values())
        return
    write_files(drawings)
    if as_json:
        output.print_answers([{"file": str(path)} for path in drawings])
    else:
        click.echo("\n".join(map(str, drawings)))


def _require_one(
    sent: MessageRequest, shown: Mapping[str, object], order: str | None, *, unfolded: bool
) -> None:
    """Refuse several things to show, and what the unfolded view and a multicast do not go with."""
    if sum(one is not None for one in shown.values()) + sent.is_any > 1:
        raise ConfigurationError(
            "draw: at most one of --route, --multicast, --broadcast, --tree, --collectives, "
            "--permutation and --messages must be given, not several"
        )
    if order is not None and shown["multicast"] is None:
        raise ConfigurationError("draw: --order must be used with --multicast")
    others = [one for what, one in shown.items() if what != "route"]
    if unfolded and (sent.is_any or any(one is not None for one in others)):
        raise ConfigurationError("draw: --unfolded must be used with --route or alone")


def _require_steps(
    sent: MessageRequest, file: Path | None, step: int | None, *, frames: bool
) -> None:
    """Refuse --step and --frames where there are no steps, both at once, or frames on stdout."""
    if not sent.is_any:
        raise ConfigurationError(
            "draw: --step and --frames must be used with --permutation or --messages"
        )
    if frames and step is not None:
        raise ConfigurationError("draw: --step must not be used with --frames")
    if frames and file == STDOUT:
        raise ConfigurationError("draw: --frames must not be used with -o -")


def _shown(
    network: "Network",
    order: str | None,
    *,
    route: tuple[str, str] | None,
    multicast: tuple[str, str] | None,
    broadcast: str | None,
    tree: str | None,
    collectives: int | None,
) -> dict[str, Any]:
    """What of a network is shown, as `draw_network` takes it."""
    if collectives is not None:
        return {"collectives": collectives}
    if route is not None:
        return {"route": tuple(map(network.node, route))}
    if multicast is not None:
        source, members = multicast
        ends = network.node(source), [network.node(node) for node in members.split(",")]
        return {"multicast": ends} | ({} if order is None else {"order": order})
    roots = {"broadcast": broadcast, "tree": tree}
    return {what: network.node(word) for what, word in roots.items() if word is not None}
