"""Errors of the estimate of costs, for networks that took no part in its fit; costs on guides."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from knotwork.costs import estimated_cost
from knotwork.costs.estimate import Area, router_area
from knotwork.network import Network

from .cases import NETWORK
from .cost_rows import Row

HELD_OUT = (
    "| network | LUTeq of the largest router | error | its LUT4 | error | LUTeq of all routers | "
    "error | MHz | error |"
)
NETWORKS = "| network, synthesised as a whole | LUTeq | error |"
"""First lines of the page's tables."""


class Compared(NamedTuple):
    """Held-out network: what synthesis found, and what the estimate told."""

    word: str  # network in one word
    # ``lut4``, ``dpr``, ``ff`` and ``luteq`` of the largest router, ``fmax_mhz`` of it, and
    # ``network_luteq``, that of all routers, each in its place; without what was not measured.
    found: dict[str, float]
    estimate: dict[str, float]

    def error(self, figure: str) -> float:
        """Relative error of a figure."""
        return self.estimate[figure] / self.found[figure] - 1


def compared(found: Sequence[Row]) -> list[Compared]:
    """Held-out networks, with the costs that are in the model's file."""
    by_network: dict[str, dict[str, Row]] = {}
    for row in found:
        if row["held_out"] and row["role"] != NETWORK:
            by_network.setdefault(row["network"], {})[row["role"]] = row
    return [_compared(word, measured_ones) for word, measured_ones in by_network.items()]


def _compared(word: str, by_role: Mapping[str, Row]) -> Compared:
    network = Network.from_word(word)
    estimated = estimated_cost(network)
    largest = by_role[estimated.role]
    found: dict[str, float] = {figure: largest[figure] for figure in Area._fields}
    estimate: dict[str, float] = {**estimated.router._asdict(), "luteq": estimated.router.luteq}
    found["luteq"] = area(largest).luteq
    if largest["fmax_mhz"]:
        found["fmax_mhz"], estimate["fmax_mhz"] = largest["fmax_mhz"], estimated.fmax_mhz
    kinds = network.router_kinds
    if all(kind.role in by_role for kind in kinds):
        counts = np.bincount(network.router_number, minlength=len(kinds)).tolist()
        places = [
            (kind, area(by_role[kind.role]), count)
            for kind, count in zip(kinds, counts, strict=True)
        ]
        found["network_luteq"] = sum(count * true.luteq for _, true, count in places)
        estimate["network_luteq"] = sum(
            count * router_area(network, kind).luteq for kind, _, count in places
        )
    return Compared(word, found, estimate)


def area(row: Row) -> Area:
    """Area that was measured."""
    return Area(*(row[figure] for figure in Area._fields))


def errors(found: Sequence[Row]) -> dict[str, Any]:
    """Mean and greatest error of each figure over the held-out networks, and their number."""
    networks = compared(found)
    figures = dict.fromkeys(figure for each in networks for figure in each.found)
    summary: dict[str, Any] = {"networks": len(networks)}
    for figure in figures:
        wrong = [abs(each.error(figure)) for each in networks if each.found.get(figure)]
        if wrong:
            summary[figure] = {
                "mean": round(float(np.mean(wrong)), 4),
                "most": round(max(wrong), 4),
            }
    return summary


def page(text: str, found: Sequence[Row]) -> str:
    """Text of the page with the tables of held-out and of whole networks as they must be."""
    for head, lines in ((HELD_OUT, held_out_lines(found)), (NETWORKS, network_lines(found))):
        before, _, rest = text.partition(head)
        after = rest.partition("\n\n")[2]
        text = (
            before
            + "\n".join([head, "|---" * (head.count("|") - 1) + "|", *lines])
            + "\n\n"
            + after
        )
    return text


def held_out_lines(found: Sequence[Row]) -> list[str]:
    """Lines of the table of held-out networks."""
    lines = []
    for each in compared(found):
        cells = [f"`{each.word}`"]
        for figure in ("luteq", "lut4", "network_luteq", "fmax_mhz"):
            if each.found.get(figure):
                cells += [f"{each.found[figure]:,.0f}", f"{each.error(figure):+.1%}"]
            else:
                cells += ["-", "-"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def network_lines(found: Sequence[Row]) -> list[str]:
    """Lines of the table of networks that were synthesised as a whole."""
    lines = []
    for row in found:
        if row["role"] == NETWORK:
            true, estimate = (
                area(row).luteq,
                estimated_cost(Network.from_word(row["network"])).network,
            )
            lines.append(f"| `{row['network']}` | {true:,} | {estimate.luteq / true - 1:+.1%} |")
    return lines


GUIDE = "| network | nodes | links | diameter | LUTeq of the largest router | LUTeq of all |"
"""Beginning of such a table: the estimate tells its last columns, in most of them MHz too."""
_PAGES = sorted(Path(__file__).parents[3].glob("hdl/docs/*.md"))
GUIDES = [page for page in _PAGES if GUIDE in page.read_text(encoding="utf-8")]
"""Pages that have one."""
_ROW = re.compile(r"(\| `(.+)` (?:\| [\d,]+ ){3})((?:\| [\d,]+ ){2,3})\|")


def with_costs(text: str) -> str:
    """A page's text with its table of costs as the estimate tells them now."""
    before, head, rest = text.partition(GUIDE)
    lines = rest.split("\n\n", 1)
    return before + head + "\n\n".join([_ROW.sub(_refreshed, lines[0]), *lines[1:]])


def _refreshed(row: re.Match[str]) -> str:
    """Row of a network, anew."""
    cost = estimated_cost(Network.from_words(row[2].split()))
    estimate = cost.router.luteq, cost.network.luteq, round(cost.fmax_mhz, 1)
    cells = "".join(f"| {round(number):,} " for number in estimate[: row[3].count("|")])
    return f"{row[1]}{cells}|"
