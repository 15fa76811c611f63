"""The studio as Chromium shows it: a form, errors, a graph of one's own, a sweep, a download."""

import io
import re
import subprocess
import sys
import zipfile
from contextlib import contextmanager

import pytest
from helpers.chromium import PHONE, looking_at, require_phone_page
from knotwork import Network
from knotwork.topology import TOPOLOGIES
from playwright.sync_api import expect

LONG = 120_000
"""Milliseconds that a busy machine may take."""
COMPILING = 400_000
"""The same where it may have to compile the golden model first."""


@pytest.fixture(scope="module")
def address():
    """Address of a studio in a process of its own, for all tests of this module."""
    program = "from knotwork.cli.entry import main; main()"
    words = [sys.executable, "-c", program, "studio", "--no-browser", "--idle", "900"]
    with subprocess.Popen(words, text=True, stdout=subprocess.PIPE) as process:
        yield process.stdout.readline().strip()
        process.terminate()
        assert process.wait(60) == 128 + 15


@contextmanager
def studio(browser, address, **settings):
    """The page, once it shows its first network."""
    with looking_at(browser, address, **settings) as page:
        page.set_default_timeout(LONG)
        drawn(page, "hypercube_n3")
        yield page


def drawn(page, name):
    """Wait until a network's whole sheet is shown."""
    page.locator("h2.name", has_text=re.compile(f"^{name}$")).wait_for()
    expect(page.locator(".studio > div > .busy")).to_have_text("", timeout=LONG)
    page.locator(".stage").wait_for()


def facts(page):
    rows = page.locator(".tables .block").first.locator("tbody tr").all()
    return dict(row.locator("th, td").all_inner_texts() for row in rows)


def route_of(page, source, destination):
    """Words of the network that is shown, and the routers of a path that the page tells."""
    for name, node in (("source", source), ("destination", destination)):
        page.get_by_label(name, exact=True).fill(str(node))
        page.get_by_label(name, exact=True).press("Enter")
    command = page.locator(
        ".route .answer code", has_text=re.compile(f" {source} {destination}$")
    ).inner_text()
    rows = page.locator(".route .answer tbody tr").all()
    routers = [int(row.locator("th, td").nth(1).inner_text()) for row in rows]
    return command.split()[2:-2], routers


def test_the_form_shows_a_network_and_what_is_wrong_with_it(address, chromium):
    with studio(chromium, address) as page:
        assert facts(page)["nodes"] == "8"
        page.get_by_label("n", exact=True).fill("4")
        drawn(page, "hypercube_n4")
        assert facts(page)["nodes"] == "16"
        page.get_by_label("n", exact=True).fill("99")
        alert = page.locator("p.alert:not([role=status])")
        alert.wait_for()
        line = "knotwork: error: hypercube: n must be an integer in 1..20, not 99"
        assert alert.inner_text() == line
        assert page.get_by_label("n", exact=True).get_attribute("aria-invalid") == "true"
        assert page.locator(".stale .stage").count() == 1
        page.get_by_label("n", exact=True).fill("3")
        page.locator("p.alert:not([role=status])").wait_for(state="hidden")
        drawn(page, "hypercube_n3")
        words, path = route_of(page, 1, 6)
        assert words == ["hypercube", "n=3"]
        assert path == Network.from_words(words).routing.path(1, 6)


def test_a_graph_is_drawn_with_pointer_keys_and_text(address, chromium):
    with studio(chromium, address) as page:
        page.get_by_label("network", exact=True).select_option("graph")
        drawn(page, "graph_drawn")
        assert (facts(page)["routers"], facts(page)["links"]) == ("4", "5")
        board = page.locator("svg.board")
        board.scroll_into_view_if_needed()
        box = board.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.9)
        assert board.locator("g.router").count() == 5
        alert = page.locator("p.alert:not([role=status])")
        alert.wait_for()
        assert "router 4 (@4) must be reachable from router 0" in alert.inner_text()
        dot = board.locator("[data-handle='4']").bounding_box()
        end = board.locator("[data-router='1'] rect").bounding_box()
        page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        page.mouse.down()
        page.mouse.move(end["x"] + 12, end["y"] + 12, steps=3)
        page.mouse.up()
        page.locator("p.alert:not([role=status])").wait_for(state="hidden")
        page.locator("td", has_text=re.compile("^6$")).first.wait_for()
        board.focus()
        page.keyboard.press("n")
        page.keyboard.press("+")
        assert board.locator("g.router").count() == 6
        assert "2 n" in board.locator("g.router.chosen").inner_html()
        page.keyboard.press("Delete")
        assert board.locator("g.router").count() == 5
        page.get_by_text("Links as text").click()
        text = page.get_by_label("links, two routers a line")
        text.fill("0 1\n1 1")
        said = page.locator(".reason", has_text="line 2").inner_text()
        assert said == "line 2: must be two routers, as in 0 1, not '1 1'"
        text.fill("0 1\n1 2\n2 0")
        assert board.locator("g.router").count() == 3


def test_a_phone_scrolls_no_way_but_down(address, chromium):
    with studio(chromium, address, viewport=PHONE, color_scheme="dark") as page:
        require_phone_page(page, "dark")


def test_without_its_token_the_page_shows_why_it_does_nothing(address, chromium):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address.partition("#")[0])
    line = "studio: the token must be that of the address which knotwork studio printed"
    assert page.locator(".alert").inner_text(timeout=LONG) == line
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("network", ["hypercube", "moebius", "ccc", "lcan", "wk", "tcpg"])
def test_every_published_network_is_refused_shown_swept_and_downloaded(network, address, chromium):
    with studio(chromium, address) as page:
        page.get_by_label("network", exact=True).select_option(network)
        drawn(page, f"{network}_.*")
        nodes = int(facts(page)["nodes"])
        name = next(iter(TOPOLOGIES[network].keys()))
        field = page.get_by_label(name, exact=True)
        kept = field.input_value()
        field.fill("99")
        alert = page.locator("p.alert:not([role=status])", has_text="99")
        assert alert.inner_text().startswith(f"knotwork: error: {network}: {name} must be")
        field.fill(kept)
        alert.wait_for(state="hidden")
        if network == "lcan":  # with one upper less, permutations take more steps than one
            page.get_by_label("u", exact=True).fill("1")
            drawn(page, "lcan_.*_u1_.*")
        drawn(page, f"{network}_.*")
        words, path = route_of(page, 0, nodes - 1)
        assert path == Network.from_words(words).routing.path(0, nodes - 1)
        page.get_by_role("tab", name="Steps").click()
        page.get_by_role("button", name="Play").click()
        page.locator(".says", has_text=re.compile("^2 /")).wait_for()
        page.get_by_label("loads, FIRST:LAST:STEP").fill("0.1:9")
        page.get_by_role("button", name="Sweep").click()
        refused = page.locator(".alert", has_text="--rates")
        line = "sweep: --rates must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not '0.1:9'"
        assert refused.inner_text() == f"knotwork: error: {line}"
        page.get_by_label("loads, FIRST:LAST:STEP").fill("0.05:0.1:0.05")
        page.get_by_label("cycles", exact=True).fill("100")
        page.get_by_role("button", name="Sweep").click()
        done = page.locator("[role=status]", has_text="saturation: ")
        done.wait_for(timeout=COMPILING)
        assert page.locator(".plot circle").count() == 2
        with page.expect_download() as loading:
            page.get_by_role("button", name="Download").click()
        archive = zipfile.ZipFile(io.BytesIO(loading.value.path().read_bytes()))
        name = loading.value.suggested_filename.removesuffix(".zip")
        assert name.startswith(network)
        written = {f"{name}.v", f"{name}.core", "manifest.json", f"test_{name}.py"}
        assert {f"{name}/{file}" for file in written} <= set(archive.namelist())
