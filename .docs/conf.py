"""Configuration of the documentation's site, which `make docs` builds from the project's pages.

The pages lie beside what they explain; a page that no section names is a warning, and a warning is
an error, and so is what no page explains (`documented.py`). The reference of the Python interface
is written anew from what each package exports.
"""

import inspect
import runpy
from importlib import import_module
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

ROOT = Path(__file__).parents[1]

project = "Knotwork"
copyright = "The Knotwork authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "README"
include_patterns = [
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "build/README.md"),
    *("tests/README.md", "tests/quality/README.md"),
    *("hdl/docs/*.md", "sim/docs/*.md", "boards/docs/*.md", "build/reference/*.rst"),
]
html_theme = "furo"
html_title = "Knotwork"
html_show_sourcelink = False
html_copy_source = False
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
myst_heading_anchors = 4
napoleon_google_docstring = False
napoleon_custom_sections = [("Members", "params_style"), "Latency"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # a docstring names the types that users give

SECTIONS = {
    "Begin": [
        *("hdl/docs/tutorial", "hdl/docs/command-line", "hdl/docs/json", "hdl/docs/networks"),
        *("sim/docs/datasheet", "sim/docs/studio"),
    ],
    "Networks": [
        *("hdl/docs/moebius", "hdl/docs/ccc", "hdl/docs/lcan", "hdl/docs/wk", "hdl/docs/tcpg"),
        *("hdl/docs/batches", "hdl/docs/circuits", "hdl/docs/broadcast"),
        *("hdl/docs/multicast", "hdl/docs/collectives", "hdl/docs/deflection"),
        *("hdl/docs/any-graph", "sim/docs/search"),
        *("hdl/docs/generated-routings", "hdl/docs/adaptive", "hdl/docs/routing-table"),
        "hdl/docs/which-routing",
        "hdl/docs/your-own-network",
        *("hdl/docs/drawing", "hdl/docs/errata", "hdl/docs/figures"),
    ],
    "In your design": [
        *("hdl/docs/verilog", "hdl/docs/amaranth", "hdl/docs/system", "hdl/docs/adapters"),
        *("hdl/docs/buses", "hdl/docs/bridges", "hdl/docs/classes", "hdl/docs/monitoring"),
        *("hdl/docs/loaded-tables", "hdl/docs/parity", "hdl/docs/flows"),
    ],
    "Simulation": [
        *("sim/docs/simulate", "sim/docs/traffic", "sim/docs/testbench", "sim/docs/python"),
        "sim/docs/collectives",
        *("sim/docs/sweep", "sim/docs/trace", "sim/docs/survive", "sim/docs/growth"),
        "sim/docs/live",
    ],
    "Boards": ["boards/docs/bitstream", "boards/docs/self-test", "boards/docs/monitor"],
    "How it works": [
        *(
            "hdl/docs/packet-router",
            "hdl/docs/options",
            "hdl/docs/costs",
            "hdl/docs/deadlock",
            "hdl/docs/proofs",
        ),
        *("sim/docs/golden-model", "hdl/docs/comparison"),
    ],
    "Python reference": ["build/reference/knotwork", "build/reference/knotwork_sim"],
    "For those who build it": [
        *("CONTRIBUTING", "tests/README", "tests/quality/README", "build/README"),
        "hdl/docs/decisions-routing",
        *("hdl/docs/decisions-gateware", "hdl/docs/decisions-formal", "sim/docs/decisions"),
        *("boards/docs/decisions", "CHANGELOG"),
    ],
}
"""Pages of each part of the site, in reading order."""


def setup(app: Sphinx) -> None:
    """Have the reference written, the sections listed, and folders named that are no page."""
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", warn_of_gaps)
    app.connect("source-read", list_sections)
    app.connect("build-finished", write_entry)
    app.add_post_transform(FolderNames)
    app.add_lexer("csv", TextLexer)


def write_reference(_: Sphinx) -> None:
    """Write a page for each package, of all that it exports."""
    for name in ("knotwork", "knotwork_sim"):
        package = import_module(name)
        title = f"What does ``{name}`` export?"
        lines = [title, "=" * len(title), "", f".. currentmodule:: {name}", ""]
        for member in package.__all__:
            lines += _directive(getattr(package, member), member)
        folder = ROOT / "build" / "reference"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")


def warn_of_gaps(_: Sphinx) -> None:
    """Warn of each verb, key, exported name and field of an answer that no page explains."""
    gaps = runpy.run_path(str(Path(__file__).with_name("documented.py")))["undocumented"]()
    for gap in gaps:
        logging.getLogger("documented").warning(gap)


def _directive(value: object, name: str) -> list[str]:
    """Lines with which autodoc documents a member."""
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", "   :members:", ""]
    if inspect.isfunction(value):
        return [f".. autofunction:: {name}", ""]
    return [f".. autodata:: {name}", ""]


def list_sections(_: Sphinx, page: str, source: list[str]) -> None:
    """Add the sections to the page that the site begins with."""
    if page != root_doc:
        return
    for caption, pages in SECTIONS.items():
        listed = "\n".join(f"/{page}" for page in pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


class FolderNames(SphinxPostTransform):
    """Links to folders of the sources become plain text: the site has no folders."""

    default_priority = 8  # before MyST looks for what they name

    def run(self) -> None:
        """Change a page."""
        for link in list(self.document.findall(pending_xref)):
            if link["reftype"] != "myst":
                continue
            page = ROOT / f"{link['refdoc']}.md"
            if (page.parent / link["reftarget"]).is_dir():
                link.replace_self(link.children)


def write_entry(app: Sphinx, error: Exception | None) -> None:
    """Write the page that a browser opens first."""
    if error is None:
        head = f'<meta charset="utf-8"><meta http-equiv="refresh" content="0; url={root_doc}.html">'
        text = f"<!doctype html><title>{project}</title>{head}\n"
        Path(app.outdir, "index.html").write_text(text, encoding="utf-8")
