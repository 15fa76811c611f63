"""Tables of cost and sentences of the project's pages: where they stand, and what they print."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from knotwork.gateware.layouts import label_width
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import BatchRouting

Answer = Mapping[str, Any]
Answers = Mapping[str, Mapping[str, Answer]]
"""Answers by the name of their router and by the family."""


def _field(name: str, family: str = "ecp5") -> Callable[[Mapping[str, Answer]], str]:
    return lambda answers: f"{int(answers[family][name]):,}"


def _fmax(family: str = "ecp5") -> Callable[[Mapping[str, Answer]], str]:
    return lambda answers: f"{float(answers[family]['fmax_mhz']):.0f} MHz"


def _of_network(fact: Callable[[Network], int]) -> Callable[[Mapping[str, Answer]], str]:
    return lambda answers: str(fact(Network.from_word(answers["ecp5"]["network"])))


def _cycles_per_batch(network: Network) -> int:
    words = BatchParameters.of(network.hardware).words
    return BatchRouting.of(network.routing).steps * words


COLUMNS: dict[str, Callable[[Mapping[str, Answer]], str]] = {
    "LUT4": _field("lut4"),
    "distributed RAM cells": _field("dpr"),
    "LUTeq": _field("luteq"),
    "flip-flops": _field("ff"),
    "Fmax": _fmax(),
    "LUT4 (iCE40)": _field("lut4", "ice40"),
    "flip-flops (iCE40)": _field("ff", "ice40"),
    "Fmax (iCE40)": _fmax("ice40"),
    "virtual channels": _of_network(lambda network: network.virtual_channels),
    "cycles per hop": _of_network(lambda network: network.cycles_per_hop),
    "cycles per batch": _of_network(_cycles_per_batch),
    "bits of the label": _of_network(label_width),
}
"""Columns of figures, on ECP5 unless they name another family: how answers are printed."""


class Table(NamedTuple):
    """Table of a page.

    Members
    -------
    page : str
        Path of the page.
    heading : str
        First cells of its first line.
    columns : tuple of str
        The others, keys of `COLUMNS`.
    rows : dict of str to str
        First cells of each row, and the name of its router.
    """

    page: str
    heading: str
    columns: tuple[str, ...]
    rows: dict[str, str]

    @property
    def head(self) -> str:
        """First two lines."""
        line = _line((self.heading, *self.columns))
        return f"{line}{'|---' * (line.count('|') - 1)}|\n"

    def text(self, answers: Answers) -> str:
        """Table as the page has it."""
        rows = [
            [label, *(COLUMNS[column](answers[name]) for column in self.columns)]
            for label, name in self.rows.items()
        ]
        return self.head + "".join(map(_line, rows))

    def written(self, page: str, answers: Answers) -> str:
        """Text of the page with its table as it must be."""
        begin = page.index(self.head)
        end = re.compile(r"^(?!\|)|\Z", re.MULTILINE).search(page, begin)
        assert end is not None
        return page[:begin] + self.text(answers) + page[end.start() :]


class Sentence(NamedTuple):
    """Sentence of a page with a figure of a router; `pattern` has one group, the figure."""

    page: str
    pattern: str
    field: str
    name: str

    def written(self, page: str, answers: Answers) -> str:
        """Text of the page with the figure as it must be."""
        found = re.search(self.pattern, page)
        assert found is not None, f"{self.page} must have {self.pattern}"
        figure = _field(self.field)(answers[self.name])
        return page[: found.start(1)] + figure + page[found.end(1) :]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")


_RAM = ("LUT4", "distributed RAM cells", "flip-flops", "Fmax")
_PLAIN = ("LUT4", "flip-flops", "Fmax")
_RULES = ("address", "mask", "label", "stack")
_CONTROL = {
    "default": "",
    "`control=shift`": "_shift",
    "`sequencer=distributed`": "_distributed",
}
"""Forms of a network of batches, and how the names of their cases end."""
_DEEP = {
    "moebius n=4 routing=spr": "moebius_n4_spr",
    "ccc n=4 routing=unicast": "ccc_n4",
    "torus x=8 y=8": "torus_8x8",
    "wk w=4 levels=2 broadcast=no": "wk_w4_levels2_no",
    "tcpg k=1 m=1 broadcast=no": "tcpg_k1_m1_no",
}
"""Networks of two channels of 8 flits or more, and how the names of their cases begin."""
_DEFLECTION = {"`hypercube n=4`": "hypercube_n4_deflection"}

PRINTED: tuple[Table | Sentence, ...] = (
    Table(
        "hdl/docs/packet-router.md",
        "",
        (*_RAM, "cycles per hop"),
        {f"`pipeline={each}`": f"hypercube_n4_p{each}" for each in (1, 2, 3)},
    ),
    Table(
        "hdl/docs/packet-router.md",
        "`buffer_depth=8` | `pipeline`",
        ("LUTeq", "flip-flops", "Fmax"),
        {
            f"`{net}` | {each}": f"{name}_depth8_p{each}"
            for net, name in _DEEP.items()
            for each in (2, 3)
        },
    ),
    Table(
        "hdl/docs/comparison.md",
        "Knotwork",
        ("LUT4", "LUTeq", "flip-flops", "Fmax", "cycles per hop"),
        {
            "1 channel of 2 flits, `pipeline=1`": "mesh_4x4_depth2_p1",
            "1 channel of 2 flits, `pipeline=2`": "mesh_4x4_depth2_p2",
            "2 channels of 4 flits, `pipeline=1`": "mesh_4x4_vcs2_depth4_p1",
            "2 channels of 4 flits, `pipeline=2`": "mesh_4x4_vcs2_depth4_p2",
            "4 channels of 4 flits, `pipeline=2`": "mesh_4x4_vcs4_depth4_p2",
        },
    ),
    Table(
        "hdl/docs/parity.md",
        "`pipeline=1`",
        _RAM,
        {
            "`hypercube n=4`": "hypercube_n4_p1",
            "`hypercube n=4 parity=yes`": "hypercube_n4_parity",
            "`mesh x=4 y=4`": "mesh_4x4_p1",
            "`mesh x=4 y=4 parity=yes`": "mesh_4x4_parity",
        },
    ),
    Table(
        "hdl/docs/circuits.md",
        "downers, uppers",
        _PLAIN,
        {
            "2, 2": "lcan_d2_u2",
            "4, 2": "lcan_d4_u2",
            "4, 4": "lcan_d4_u4",
            "2, 2, one-way": "banyan_d2_u2",
            "4, 2, one-way": "banyan_d4_u2",
        },
    ),
    Table(
        "hdl/docs/circuits.md",
        "beside the switches",
        _RAM,
        {
            "interface": "lcan_interface_fixed",
            "interface, `cycle=adaptive`": "lcan_interface_adaptive",
            "controller": "lcan_controller_fixed",
            "controller, `cycle=adaptive`": "lcan_controller_adaptive",
            "chooser of two copies": "kyklos_chooser",
        },
    ),
    Table(
        "hdl/docs/broadcast.md",
        "`broadcast`",
        ("virtual channels", *_RAM),
        {f"`{rule}`": f"wk_w4_levels3_{rule}" for rule in ("no", *_RULES)},
    ),
    Table(
        "hdl/docs/broadcast.md",
        "`broadcast` | levels",
        ("bits of the label", *_PLAIN),
        {
            f"`{rule}` | {levels}": f"wk_w4_levels{levels}_{rule}"
            for rule in _RULES
            for levels in (2, 3, 4)
        },
    ),
    Table(
        "hdl/docs/batches.md",
        "router | form",
        (*_PLAIN, *(f"{column} (iCE40)" for column in _PLAIN), "cycles per batch"),
        {
            **{
                f"`ccc n={n}`, `lc2` | {form}": f"ccc_n{n}_lc2{end}"
                for n in (4, 6, 8)
                for form, end in _CONTROL.items()
            },
            "`hypercube n=4`, `lc1` | default": "hypercube_n4_lc1",
            "`hypercube n=4`, `lc1` | `sequencer=distributed`": "hypercube_n4_lc1_distributed",
        },
    ),
    Table(
        "hdl/docs/batches.md",
        "`ccc n=4`",
        ("LUT4", "flip-flops"),
        {
            "controller": "ccc_n4_lc2_controller",
            "controller, `sequencer=distributed`": "ccc_n4_lc2_distributed_controller",
            "network": "ccc_n4_lc2_network",
            "network, `control=shift`": "ccc_n4_lc2_shift_network",
            "network, `sequencer=distributed`": "ccc_n4_lc2_distributed_network",
        },
    ),
    Table(
        "hdl/docs/made-routing.md",
        "a router of",
        ("virtual channels", *_RAM),
        {
            **{
                f"`torus x={size} y={size}`, `{routing}`": f"torus_{size}x{size}_{routing}"
                for size in (4, 8, 16)
                for routing in ("dimension_order", "updown", "shortest")
            },
            **{
                f"`mesh x={size} y={size}`, two nodes, `{routing}`": (
                    f"mesh_{size}x{size}_nodes2_{routing}"
                )
                for size in (4, 8, 16)
                for routing in ("dimension_order", "updown")
            },
        },
    ),
    Table("hdl/docs/deflection.md", "router", (*_PLAIN, "cycles per hop"), _DEFLECTION),
    Sentence(
        "hdl/docs/deflection.md", r"takes (\d+) LUT4s\s+on\s+ECP5", "lut4", "torus_deflection"
    ),
)
"""Figures of a router's cost that pages print."""
