"""The page of a trace, in its text and as Chromium shows it."""

import re
from pathlib import Path

import pytest
from helpers.chromium import looking_at
from knotwork import Network
from knotwork_sim.check.simulate import simulate
from knotwork_sim.trace.document import write_page
from knotwork_sim.traffic.keys import Traffic

COMMAND = "knotwork simulate </script> --trace a.html"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    network = Network.from_word("hypercube:n=3")
    traffic = Traffic(packets=120, rate=0.6, length=(1, 3))
    result = simulate(network, traffic, engine="model", trace_file=Path("a.html"))
    path = tmp_path_factory.mktemp("trace") / "a.html"
    path.write_text(write_page(network, result, command=COMMAND))
    return path, result


def test_the_page_has_all_of_itself_within(made):
    page = made[0].read_text()
    assert not re.search(r"""(?:src|href)="(?!data:)""", page)
    assert "default-src 'none'" in page
    assert "{{" not in page
    assert len(page) < 200_000
    assert page.count("<script") == 2


def test_a_packets_way_adds_up_and_lights_up(made, chromium):
    path, result = made
    crossings = result.crossings
    slow = int(crossings.packet[crossings.wait.argmax()])
    with looking_at(chromium, path) as page:
        page.wait_for_selector(".heat path", state="attached")
        field = page.get_by_label("packet", exact=True)
        field.fill(str(slow))
        field.press("Enter")
        page.locator(".answer .sum").wait_for()
        rows = page.locator(".answer tbody tr").all()
        told = [row.locator("th, td").all_inner_texts() for row in rows]
        here = crossings.packet == slow
        assert [int(cells[0]) for cells in told[2:-1]] == crossings.head[here].tolist()
        assert [int(cells[2]) for cells in told[2:-1]] == crossings.wait[here].tolist()
        latency = result.packets.rows()[slow]["latency"]
        assert page.locator(".answer .sum").inner_text().startswith(f"Latency {latency} cycles")
        assert page.locator(".lit .way").count() == (crossings.to[here] >= 0).sum()
        page.get_by_label("Next packet").click()
        assert field.input_value() == str(slow + 1)
        page.get_by_role("button", name="Packets", exact=True).click()
        box = page.locator(".lanes").bounding_box()
        page.mouse.click(box["x"] + 30, box["y"] + 22 + 9)
        assert int(field.input_value()) < 120
        page.locator(".lanes").press("Escape")
        assert field.input_value() == ""
        field.fill("<b>")
        field.press("Enter")
        line = page.locator(".answer .reason").inner_text()
        assert line == "packet must be an integer in 0..119, not '<b>'"


def test_the_heat_is_of_the_cycles_that_are_seen(made, chromium):
    path, result = made
    with looking_at(chromium, path) as page:
        page.wait_for_selector(".heat path", state="attached")
        page.get_by_label("Show all cycles").click()
        text = re.compile(r"cycles 0 to (\d+),")
        page.locator(".note", has_text=text).wait_for()
        used = (result.links.flits > 0).sum()
        assert page.locator(".heat path").count() == used
        note = page.locator(".note", has_text=text).inner_text()
        most = float(re.search(r"([\d.]+) flits per cycle at most", note)[1])
        assert most == pytest.approx(result.links.max, rel=0.05)


def test_a_phone_scrolls_no_way_but_down(made, chromium):
    for theme in ("light", "dark"):
        look = {"viewport": {"width": 390, "height": 844}, "color_scheme": theme}
        with looking_at(chromium, made[0], **look) as page:
            page.wait_for_selector(".heat path", state="attached")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
