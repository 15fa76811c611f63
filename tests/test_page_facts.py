"""The facts of every page: links lead somewhere, pictures and tables are what the code gives."""

import re
import shlex

import pytest
from helpers.pages import CONTRIBUTING, PAGES, README, ROOT, SUBJECTS, Page
from knotwork.cli.main import run
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.parameters.collectives import CollectiveParameters
from knotwork.parameters.options import OPTIONS, impossible_pairs
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork_sim.search.rows import nearest
from knotwork_sim.traffic.keys import Traffic


def slug(heading):
    """Anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def dead_links(page):
    """Links and pictures whose file, or whose heading in it, is not there."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page.path).parent / name if name else ROOT / page.path
        if not path.exists():
            found.append(target)
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
            if anchor not in map(slug, headings):
                found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_a_dead_link_is_caught(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# One, two\n[a](#one-two) [b](#two) [c](gone.md) [d](https://x) [e](a.md)\n")
    assert dead_links(Page(str(page))) == ["#two", "gone.md"]


@pytest.mark.parametrize("page", SUBJECTS, ids=lambda page: page.path)
def test_first_line_is_the_question_that_a_page_answers(page):
    first = page.text.splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith("?")


def test_pages_are_found_from_a_readme_that_is_short():
    linked = set(re.findall(r"\]\(([^)#\s]+)", README.text + CONTRIBUTING.text))
    assert {page.path for page in SUBJECTS} <= linked
    assert len(README.text.splitlines()) <= 200
    questions = rows(section(CONTRIBUTING, "Where to find things"))
    assert len(questions) >= 10
    assert all("](" in answer for _, answer in questions)


PICTURE = re.compile(
    r"!\[[^]]*\]\([./]*\.readme/([^)]*)\)\s+\*`knotwork (\w+) ([^`]*?)\s(?:-o|--figure)\s[^`]*`"
)
PICTURES = [(page, *found) for page in PAGES for found in PICTURE.findall(page.text)]


def test_every_picture_names_its_command_and_is_what_draw_writes(tmp_path):
    assert len(PICTURES) == sum(page.text.count("![") for page in PAGES) == 8
    for _, name, verb, words in PICTURES:
        if verb == "draw":
            file = tmp_path / name
            assert run(["draw", *shlex.split(words), "-o", str(file)]) == 0
            assert file.read_text() == (ROOT / ".readme" / name).read_text()


def test_figures_have_the_networks_of_their_sweeps_and_searches():
    # To sweep them again would take minutes.
    ((_, name, _, words),) = [picture for picture in PICTURES if picture[2] == "sweep"]
    nets = [word for word in words.split() if ":" in word]
    assert len(nets) == 10
    for traffic in ("uniform", "complement", "transpose"):
        figure = (ROOT / ".readme" / name.replace("uniform", traffic)).read_text()
        for net in nets:
            assert (f"<!-- {net}:" in figure) == (traffic != "transpose" or "tcpg" not in net)
    ((_, name, _, words),) = [picture for picture in PICTURES if picture[2] == "search"]
    nodes, degree = map(int, re.findall(r"--(?:nodes|degree) (\d+)", words))
    figure = (ROOT / ".readme" / name).read_text()
    assert all(f"<!-- {net} (" in figure for net in nearest(nodes, degree, exactly=False))


def section(page, heading):
    """Text under a heading, up to the next."""
    return re.split(r"^#", page.text.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]


def rows(text):
    """Cells of a table's rows, the head and the rule below it left out."""
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]


def test_networks_and_traffic_keys_are_those_of_the_code():
    listed = {}
    for first, routings, *_ in rows(section(README, "Networks")):
        for name in re.findall(r"`(\w+)`", first):
            listed[name] = re.findall(r"`(\w+)`", routings)
    assert listed == {name: list(routings_of(name)) for name in TOPOLOGIES}
    keys = [row[0].strip("`") for row in rows(section(Page("sim/docs/simulate.md"), "Traffic"))]
    assert keys == list(Traffic.keys())


@pytest.mark.parametrize("router_class", ["packet", "circuit", "batch", "deflection"])
def test_hardware_keys_are_those_of_the_router_class(router_class):
    networks = Page("hdl/docs/networks.md")
    text = section(networks, f"Hardware keys of {router_class} routers")
    keys = [row[0].strip("`") for row in rows(text)]
    every, of_all = list(ROUTER_PARAMETERS[router_class].keys()), CollectiveParameters.keys()
    assert keys == [key for key in every if key not in of_all]


def test_keys_of_collectives_are_those_of_the_code():
    text = section(Page("hdl/docs/collectives.md"), "Keys")
    assert {row[0].strip("`") for row in rows(text)} == set(CollectiveParameters.keys())


def test_the_module_of_the_page_on_verilog_is_one_of_the_generated_file(tmp_path):
    page = Page("hdl/docs/verilog.md")
    (module,) = [block.text for block in page.of("text") if block.text.startswith("// ")]
    (command,) = re.findall(
        r"^knotwork generate (.*--name my_noc)", (ROOT / page.path).read_text(), re.MULTILINE
    )
    assert run(["generate", *shlex.split(command), "-o", str(tmp_path)]) == 0
    text = (tmp_path / "my_noc.v").read_text()
    assert text.count(module) == 1
    assert "\n" + module in text


def test_options_are_those_of_the_code():
    """Both tables are `OPTIONS`."""
    options = Page("hdl/docs/options.md")
    told = [row[:4] for row in rows(options.text.partition("## ")[0])]
    assert told == [
        [each.name, f"`{each.example}`", each.adds, each.needs or "nothing"] for each in OPTIONS
    ]
    told = rows(section(options, "Impossible in principle"))
    assert told == [[one.name, other.name, why] for one, other, why in impossible_pairs()]
