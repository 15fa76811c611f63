"""The site of the documentation: whole, without a warning, and found by its search."""

import re
import runpy
import subprocess
import sys

import knotwork
import knotwork_sim
import pytest
from helpers.pages import ROOT, SUBJECTS

SECTIONS = runpy.run_path(str(ROOT / ".docs" / "conf.py"))["SECTIONS"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-c", ".docs", ".", str(folder)]
    command = [sys.executable, "-m", "sphinx", *options]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def test_every_page_is_in_a_section_and_every_section_has_pages_that_are_there():
    named = [page for pages in SECTIONS.values() for page in pages]
    assert len(set(named)) == len(named)
    assert {page.path.removesuffix(".md") for page in SUBJECTS} <= set(named)
    written = [page for page in named if not page.startswith("build/reference/")]
    assert [page for page in written if not (ROOT / f"{page}.md").is_file()] == []


@pytest.mark.slow
def test_the_site_has_every_page_and_all_that_is_exported(site):
    assert 'url=README.html"' in (site / "index.html").read_text()
    home = (site / "README.html").read_text()
    for page in (page for pages in SECTIONS.values() for page in pages):
        assert f'href="{page}.html"' in home
        assert (site / f"{page}.html").is_file()
    for package in (knotwork, knotwork_sim):
        name = package.__name__
        text = (site / "build" / "reference" / f"{name}.html").read_text()
        assert set(package.__all__) <= set(re.findall(rf'id="{name}\.(\w+)"', text))


QUESTIONS = {
    "width of one node": "hdl/docs/adapters",
    "clock of one node": "hdl/docs/adapters",
    "cost of a virtual channel": "hdl/docs/packet-router",
    "deadlock refused": "hdl/docs/deadlock",
    "AXI4 memory": "hdl/docs/buses",
    "wishbone": "hdl/docs/bridges",
    "broadcast": "hdl/docs/broadcast",
    "multicast": "hdl/docs/multicast",
    "saturation": "sim/docs/sweep",
    "load latency": "sim/docs/sweep",
    "replay file": "sim/docs/traffic",
    "cocotb testbench": "sim/docs/testbench",
    "waveform gtkwave": "sim/docs/simulate",
    "bitstream board": "boards/docs/bitstream",
    "monitor serial": "boards/docs/monitor",
    "own topology": "hdl/docs/your-own-network",
    "routing table": "hdl/docs/routing-table",
    "priority classes": "hdl/docs/classes",
    "fusesoc": "hdl/docs/flows",
    "estimate LUTeq MHz": "hdl/docs/costs",
    "dead link": "hdl/docs/loaded-tables",
    "parity upset": "hdl/docs/parity",
    "tutorial": "hdl/docs/tutorial",
    "cube-connected cycles": "hdl/docs/ccc",
    "least common ancestor": "hdl/docs/lcan",
    "wk-recursive": "hdl/docs/wk",
    "petersen": "hdl/docs/tcpg",
    "json fields": "hdl/docs/json",
    "migration": "CHANGELOG",
}
"""What users ask in a few words, and the page that answers."""


@pytest.mark.slow
def test_a_search_leads_to_the_answer_without_a_network(site, chromium):
    missed, asked = {}, []
    page = chromium.new_page()
    page.on("request", lambda request: asked.append(request.url))
    for question, answer in QUESTIONS.items():
        page.goto(f"{(site / 'search.html').as_uri()}?q={question}")
        page.get_by_text("Search finished").wait_for()
        links = [link.get_attribute("href") for link in page.locator("ul.search > li > a").all()]
        if not any(link.startswith(f"{answer}.html") for link in links[:4]):
            missed[question] = links[:6]
    page.close()
    assert missed == {}
    assert all(url.startswith(("file:", "data:")) for url in asked)
