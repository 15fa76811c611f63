"""Pages as Chromium shows them: routes, steps, keys, and the network that runs there."""

import re
import time

import pytest
from helpers.chromium import PHONE, looking_at, require_phone_page
from helpers.live_run import LiveRun
from knotwork import Network
from knotwork_sim.datasheet.document import write_datasheet
from knotwork_sim.datasheet.pictures import animations
from knotwork_sim.datasheet.tables import instance
from knotwork_sim.live.module import live_module


@pytest.fixture(scope="module")
def sheet(tmp_path_factory):
    """Make the page of networks, each once."""
    folder, pages = tmp_path_factory.mktemp("pages"), {}

    def make(*words, live=False):
        if (words, live) not in pages:
            networks = [Network.from_words(one.split()) for one in words]
            page = write_datasheet(networks, words, command="knotwork datasheet", live=live)
            pages[words, live] = folder / f"{len(pages)}.html"
            pages[words, live].write_text(page)
        return pages[words, live]

    return make


def slow(words):
    return pytest.param(words, marks=pytest.mark.slow)


def ask(page, source, destination):
    """Write two nodes, as a user would, and give the rows of the answer."""
    for name, node in (("source", source), ("destination", destination)):
        field = page.locator(f"input[aria-label={name}]:visible")
        field.fill(str(node))
        field.press("Enter")
    command = re.compile(rf" {source} {destination}$")
    page.locator(".route .answer code:visible", has_text=command).wait_for()
    rows = page.locator(".route .answer tbody tr:visible").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def path_of(network, source, destination):
    """Rows that the page must show of a path."""
    topology, hops = network.topology, network.routing.hops(source, destination)
    return [
        [
            str(number),
            str(hop.router),
            topology.router_label(hop.router),
            topology.ports[hop.port],
            "-" if number == len(hops) - 1 else str(hop.virtual_channel),
        ]
        for number, hop in enumerate(hops)
    ]


ROUTED = ("moebius n=4", "ccc n=4", "lcan d=3 u=2 levels=2", "wk w=3 levels=3")
ROUTED += ("tcpg k=1 m=2", "moebius n=4 routing=spr")


@pytest.mark.parametrize("words", ["hypercube n=3", *map(slow, ROUTED)])
def test_a_route_and_steps_light_up_and_what_is_no_node_is_refused(words, sheet, chromium):
    network = Network.from_words(words.split())
    last = network.topology.nodes - 1
    with looking_at(chromium, sheet(words)) as page:
        assert page.get_by_label("instance in Verilog").input_value() == instance(network)
        assert ask(page, 1, last) == path_of(network, 1, last)
        assert page.locator(".lit .way").count() >= len(path_of(network, 1, last)) - 1
        page.get_by_label("source", exact=True).fill("<b>9")
        page.get_by_label("source", exact=True).press("Enter")
        line = page.locator(".route .answer .reason").inner_text()
        assert line == f"a node must be an index in 0..{last} or @label, not '<b>9'"
        page.get_by_role("tab", name="Steps").click()
        assert page.locator(".lit .way").count() == 0
        if not animations(network, words):
            reason = "no broadcast, multicast or schedule"
            page.locator(".steps .reason", has_text=reason).wait_for()
            return
        page.get_by_role("button", name="Play").click()
        page.locator(".says", has_text=re.compile("^2 /")).wait_for()
        assert page.locator(".lit .way").count() > 0


def test_nodes_are_chosen_by_clicks_and_keys(sheet, chromium):
    network = Network.from_words(["hypercube", "n=3"])
    with looking_at(chromium, sheet("hypercube n=3")) as page:
        for node in (2, 7):
            box = page.locator(f"#router-{node} rect").bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.click(x, y)
        page.wait_for_selector(".route .answer td")
        assert page.get_by_label("source", exact=True).input_value() == "2"
        assert page.get_by_label("destination", exact=True).input_value() == "7"
        page.keyboard.press("Escape")
        assert page.locator(".lit > *").count() == 0
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        page.wait_for_selector(".route .answer td")
        end = int(page.get_by_label("destination", exact=True).input_value())
        xs = [page.locator(f"#router-{n} rect").bounding_box()["x"] for n in (end, 7)]
        assert xs[0] < xs[1]
        assert end != 7
        assert page.locator(".route .answer tbody tr").count() == len(network.routing.path(7, end))
        page.keyboard.press("Escape")
        page.keyboard.press(" ")
        assert page.get_by_role("tab", name="Steps").get_attribute("aria-selected") == "true"
        page.locator(".says", has_text=re.compile("^1 /")).wait_for()


@pytest.mark.parametrize(
    ("theme", "link", "paper"),
    [
        ("light", "rgb(0, 114, 178)", "rgb(255, 255, 255)"),
        ("dark", "rgb(64, 99, 208)", "rgb(22, 27, 34)"),
    ],
)
def test_a_phone_scrolls_no_way_but_down_in_each_theme(theme, link, paper, sheet, chromium):
    look = {"viewport": PHONE, "color_scheme": theme}
    with looking_at(chromium, sheet("hypercube n=3"), **look) as page:
        for name, drawn, seen in (("stroke", "#0072B2", link), ("fill", "#ffffff", paper)):
            one = page.locator(f"svg.base [{name}='{drawn}']").first
            assert one.evaluate(f"one => getComputedStyle(one).{name}") == seen
        require_phone_page(page, theme)


@pytest.mark.parametrize("words", ["ccc n=4", "torus x=5 y=4 virtual_channels=4"])
def test_a_large_network_is_painted_and_routed_by_a_table(words, sheet, chromium, monkeypatch):
    monkeypatch.setattr("knotwork_sim.datasheet.pictures.MOST_ELEMENTS", 0)
    monkeypatch.setattr("knotwork_sim.datasheet.routes.MOST_PATHS", 0)
    network = Network.from_words(words.split())
    with looking_at(chromium, sheet(f"{words} ")) as page:
        assert page.locator("canvas.base").count() == 1
        for ends in ((0, 15), (7, 2), (3, 3)):
            assert ask(page, *ends) == path_of(network, *ends)


FRAMES = """async () => {
  const times = [];
  const until = performance.now() + 1500;
  for (let last = performance.now(); last < until; ) {
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.9)];
}"""
"""Milliseconds between frames, in nine of ten cases at most."""


@pytest.mark.slow
@pytest.mark.parametrize("words", ["hypercube n=10", "mesh x=32 y=32", "wk w=4 levels=5"])
def test_a_thousand_nodes_are_shown_in_three_seconds_and_stay_fluid(words, sheet, chromium):
    file = sheet(words)
    assert file.stat().st_size < 2e6
    begin = time.monotonic()
    with looking_at(chromium, file) as page:
        page.locator(".stage canvas.base").wait_for()
        page.evaluate("() => new Promise((shown) => requestAnimationFrame(shown))")
        opened = time.monotonic() - begin
        print(f"{words}: open in {opened:.2f} s")
        assert opened < 3
        box = page.locator(".stage").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.evaluate(f"window.frames_seen = ({FRAMES})()")
        for _ in range(20):
            page.mouse.wheel(0, -40)
        frame = page.evaluate("window.frames_seen")
        print(f"{words}: {frame:.0f} ms between frames")
        assert frame < 100
        network = Network.from_words(words.split())
        assert ask(page, 1, 1023) == path_of(network, 1, 1023)


def test_several_networks_are_compared_and_have_a_tab_each(sheet, chromium):
    with looking_at(chromium, sheet("hypercube n=3", "ring n=5")) as page:
        heads = page.locator(".compared thead th").all_inner_texts()
        assert heads[1:] == ["hypercube_n3", "ring_n5"]
        page.get_by_role("tab", name="ring_n5").click()
        assert ask(page, 0, 2) == path_of(Network.from_words(["ring", "n=5"]), 0, 2)


LIVE = ("moebius n=4", "ccc n=3", "lcan d=2 u=2 levels=2", "wk w=3 levels=2", "tcpg k=1 m=1")


def figures(page):
    """What the panel tells, by what it is."""
    rows = page.locator(".meter tr:visible").all()
    return dict(row.locator("th, td").all_inner_texts() for row in rows)


@pytest.mark.parametrize("words", ["hypercube n=2", *map(slow, LIVE)])
def test_the_page_tells_what_the_module_does(words, sheet, chromium):
    network = Network.from_words(words.split())
    live = live_module(network)
    run = LiveRun(live)
    pattern = live.description["patterns"].index("complement")
    run.call("configure", 1, 65536 // 2, pattern, 3)
    with looking_at(chromium, sheet(words, live=True)) as page:
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


def test_it_runs_until_it_is_paused_and_begins_anew(sheet, chromium):
    with looking_at(chromium, sheet("hypercube n=2", live=True)) as page:
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
