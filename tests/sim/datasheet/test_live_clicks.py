"""The network that runs in its page, as Chromium runs it."""

import re

import pytest
from helpers.chromium import looking_at
from helpers.live_run import LiveRun
from knotwork import Network
from knotwork_sim.datasheet.document import write_datasheet
from knotwork_sim.live.module import live_module

SLOW = ("moebius n=4", "ccc n=3", "lcan d=2 u=2 levels=2", "wk w=3 levels=2", "tcpg k=1 m=1")


@pytest.fixture(scope="module")
def live_page(tmp_path_factory):
    """Make the page of a network that runs there."""
    folder = tmp_path_factory.mktemp("pages")

    def make(words):
        file = folder / f"{words.replace(' ', '_')}.html"
        if not file.exists():
            networks = [Network.from_words(words.split())]
            file.write_text(write_datasheet(networks, [words], command="", live=True))
        return file

    return make


def figures(page):
    """What the panel tells, by what it is."""
    rows = page.locator(".meter tr:visible").all()
    return dict(row.locator("th, td").all_inner_texts() for row in rows)


@pytest.mark.parametrize(
    "words", ["hypercube n=2", *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW)]
)
def test_the_page_tells_what_the_module_does(words, live_page, chromium):
    network = Network.from_words(words.split())
    live = live_module(network)
    run = LiveRun(live)
    pattern = live.description["patterns"].index("complement")
    run.call("configure", 1, 65536 // 2, pattern, 3)
    with looking_at(chromium, live_page(words)) as page:
        page.get_by_role("tab", name="Live").click()
        page.get_by_label("load", exact=True).fill("0.5")
        page.get_by_label("pattern").select_option("complement")
        page.get_by_label("flits per packet").fill("3")
        page.get_by_label("flits per packet").press("Enter")
        command = f"knotwork simulate {words} traffic=complement rate=0.5 length=3 packets=10000"
        page.locator(".live code", has_text=re.compile(f"^{re.escape(command)}$")).wait_for()
        for cycle in range(1, 9):
            page.get_by_role("button", name="One cycle").click()
            page.locator(".meter td", has_text=re.compile(f"^{cycle}$")).first.wait_for()
            run.call("run", 1)
        told, stats = figures(page), run.stats
        assert told["cycle"] == "8"
        assert told["packets in flight"] == str(stats["in_flight"])
        assert told["packets waiting at their sources"] == str(stats["waiting"])
        dots = page.locator(".flits circle").count()
        assert dots == (run.occupancy > 0).sum()
        assert page.locator(".busy").count() == len(live.description["links"])


def test_it_runs_until_it_is_paused_and_begins_anew(live_page, chromium):
    with looking_at(chromium, live_page("hypercube n=2")) as page:
        page.get_by_role("tab", name="Live").click()
        page.get_by_label("speed").select_option(label="as fast as it goes")
        page.get_by_label("load", exact=True).fill("0.4")
        page.locator(".picture .surface").focus()
        page.keyboard.press(" ")
        page.locator(".live .plot .curve").wait_for()
        page.get_by_role("button", name="Pause").click()
        told = figures(page)
        assert abs(float(told["accepted, flits per node per cycle"]) - 0.4) < 0.08
        assert float(told["mean latency, cycles"]) >= 2
        assert page.locator(".flits circle").count() == 0
        page.wait_for_timeout(100)
        assert figures(page) == told
        page.get_by_role("button", name="Reset").click()
        assert figures(page)["cycle"] == "0"
        page.get_by_label("flits per packet").fill("0")
        page.get_by_label("flits per packet").press("Enter")
        line = page.locator(".live .reason", has_text="length")
        line.wait_for()
        assert line.inner_text() == "length must be an integer in 1..4096, not 0"
        page.get_by_role("tab", name="Route").click()
        assert page.locator(".busy").count() == 0
