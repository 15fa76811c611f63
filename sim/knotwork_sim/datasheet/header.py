"""Head of a datasheet: what a network is, who published it, and what is misprinted there."""

import csv
from functools import cache
from pathlib import Path

from knotwork.cli.answers.network_page import network_page
from knotwork.network import Network
from knotwork.topology import TOPOLOGIES

from .content import Data, Table

PAPERS = {
    "C": ("Liu, Liu and Zhang on cube-connected cycles", ("ccc",)),
    "M": ("Kocík on Möbius cubes", ("moebius",)),
    "L": (
        "Scherson and Chien on least-common-ancestor networks",
        ("lcan", "fattree", "cm5", "baseline", "sw_banyan", "trac", "kyklos", "banyan"),
    ),
    "W": ("Fang, Liang, Chen and Ng on WK-recursive networks", ("wk",)),
    "T": ("Liu and Han on torus-connected Petersen graphs", ("tcpg",)),
}
"""Papers by the letter of their misprints' numbers: who wrote it, and the networks it describes."""


def header(network: Network, words: str) -> Data:
    """What a network is, from which paper, and the paper's misprints.

    Parameters
    ----------
    network : Network
        What the page is about.
    words : str
        How a command line names it.
    """
    name = network.topology.name
    head: Data = {"name": network.name, "words": words, "description": [], "references": ""}
    if name not in TOPOLOGIES:  # a class of the user's own
        return head | {"summary": name, "command": f"knotwork describe {words}"}
    page = network_page(name)
    return head | {
        "summary": page.entry.summary,
        "description": page.description,
        "elsewhere": page.elsewhere,
        "references": page.references,
        "command": f"knotwork networks {name}",
        "errata": errata(name),
    }


def errata(name: str) -> Data | None:
    """Table of the misprints of a network's paper; None where no paper is its own."""
    for letter, (paper, networks) in PAPERS.items():
        if name in networks:
            rows = [row for row in misprints() if row[0].startswith(letter)]
            columns = ("no.", "where", "printed", "right")
            # The paper stands in the page's list of misprints; no verb prints it.
            return Table(f"Misprints of {paper}", "", columns, rows).as_json()
    return None


@cache
def misprints() -> list[list[str]]:
    """All misprints: number, where, what is printed, what is right."""
    text = Path(__file__).with_name("errata.csv").read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()))[1:]
