"""What the pages leave out: verbs, keys, names that are exported, fields of answers in JSON.

`conf.py` makes a warning of each, so `make docs` fails.
"""

import contextlib
import dataclasses
import inspect
import io
import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = "hdl/docs/json.md"
OUR_PACKAGES = {"knotwork", "knotwork_soc", "knotwork_sim", "knotwork_boards"}
KEYS = {"parameters", "traffic"}
"""Fields whose objects hold keys with their values."""
GIVEN = {"routing_keys", "router_keys", "router_class_keys", "walks", "quality"}
"""Fields whose objects are by names of routings or router classes."""
QUESTIONS = {
    "networks": ["networks", "networks moebius"],
    "describe": [
        "describe moebius n=4 routing=spr --routing",
        "describe hypercube n=3 --cost",
        "describe lcan d=2 u=2 levels=3",
        "describe ccc n=4 routing=lc2",
        "describe wk w=3 levels=2",
        "describe torus x=4 y=4 router=deflection",
        "describe mesh x=4 y=4 collectives=yes",
        "describe hypercube n=3 classes=2 pipeline=2 virtual_channels=2 class_limits=1/2,1",
    ],
    "compare": [
        "compare hypercube n=3 tcpg k=1 m=1",
        "compare lcan d=2 u=2 levels=3 --fat-tree --permutation reversal",
    ],
    "route": [
        "route moebius n=3 0 5",
        "route moebius n=3 --table",
        "route lcan d=2 u=2 levels=3 0 2",
        "route tcpg k=1 m=1 0 37 --disjoint",
        "route moebius n=3 routing=set_spr 0 all",
    ],
    "check": [
        "check moebius n=4",
        "check mesh x=2 y=2 collectives=yes",
        "check moebius n=6 routing=spr virtual_channels=1",
    ],
    "multicast": [
        "multicast moebius n=4 5 0 2 3 8",
        "multicast moebius n=4 5 0 2 3 8 --compare",
    ],
    "broadcast": ["broadcast wk w=3 levels=3 4 --rule printed"],
    "schedule": [
        "schedule ccc n=4 --permutation reversal",
        "schedule ccc n=4 --permutation reversal --naive descending",
        "schedule hypercube n=3 --messages random_routing",
        "schedule lcan d=2 u=2 levels=3 --permutation shuffle --online 5 --expected",
    ],
    "boards": ["boards"],
}
"""Command lines whose answers have all fields of a verb, but `--json`."""


def pages() -> dict[str, str]:
    """Text of each page of a subject, by its path."""
    found = [ROOT / "README.md", *sorted(ROOT.glob("*/docs/*.md"))]
    return {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in found}


def named(text: str) -> set[str]:
    """Words between backticks, and those from `h0` to `h15`."""
    found = {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", code)}
    for name, first, last in re.findall(r"`([a-z]+)(\d+)` to `\1(\d+)`", text):
        found |= {f"{name}{number}" for number in range(int(first), int(last))}
    return found


def missing_verbs(texts: Mapping[str, str]) -> list[str]:
    """Verbs of the command of which no page has an example."""
    shown = {verb for text in texts.values() for verb in re.findall(r"knotwork (\w+)", text)}
    verbs = {entry.name for entry in entry_points(group="knotwork.commands")}
    return [f"no page shows the verb {verb}" for verb in sorted(verbs - shown)]


def keys() -> set[str]:
    """All keys: of networks, routings, router classes, systems, traffic and builds."""
    from knotwork.parameters import Parameters
    from knotwork.routing.network_keys import all_network_keys
    from knotwork.topology import TOPOLOGIES

    for module in ("knotwork_soc.system", "knotwork_sim.traffic.keys", "knotwork_boards.flow"):
        import_module(module)  # keys are declared there, or in what they import
    found = {
        key for name, kind in TOPOLOGIES.items() if _is_ours(kind) for key in all_network_keys(name)
    }
    waiting = [Parameters]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        found |= set(kind.keys()) if dataclasses.is_dataclass(kind) and _is_ours(kind) else set()
    return found


def _is_ours(kind: type) -> bool:
    """Whether a class is the project's, not one that a user or a test has added."""
    return kind.__module__.partition(".")[0] in OUR_PACKAGES


def missing_keys(texts: Mapping[str, str]) -> list[str]:
    """Keys that no page names: alone between backticks, or with a value, or of nodes."""
    codes = [code for text in texts.values() for code in re.findall(r"`([^`\n]+)`", text)]
    known = {code for code in codes if code.isidentifier()}
    known |= {key for code in codes for key in re.findall(r"\w+(?==)|(?<=\.)\w+$", code)}
    return [f"no page names the key {key}" for key in sorted(keys() - known)]


def missing_docstrings() -> list[str]:
    """Names that a package exports without a word about them."""
    lacking = []
    for package in map(import_module, ("knotwork", "knotwork_sim", "knotwork_sim.testbench")):
        for name in package.__all__:
            value = getattr(package, name)
            if callable(value) and not inspect.getdoc(value):
                lacking.append(f"{package.__name__}.{name} has no docstring")
    return lacking


def sections(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Fields that are documented of each verb: in its section, or on a page that this names."""
    found = {}
    for section in re.split(r"^## ", texts[ANSWERS], flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        linked = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text)]
        there = [str((ROOT / ANSWERS).parent.joinpath(name).resolve()) for name in linked if name]
        others = [texts[str(Path(name).relative_to(ROOT))] for name in there]
        for verb in re.findall(r"`(\w+)`", heading):
            found[verb] = set().union(named(text), *map(named, others))
    found["compare"] |= found["describe"]
    return found


def fields(answer: Any) -> Iterator[str]:
    """Keys of an answer's objects, but those of objects by name or number."""
    for each in answer if isinstance(answer, list) else [answer]:
        if isinstance(each, dict):
            for name, value in each.items():
                yield name
                inner = value.values() if name in GIVEN and isinstance(value, dict) else [value]
                if name not in KEYS:
                    for one in inner:
                        yield from fields(one)
        elif isinstance(each, list):
            yield from fields(each)


def answer_of(words: str) -> Any:
    """Answer of a command line, in JSON: one value, or a list of those on lines of their own."""
    from knotwork.cli.main import run

    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        run([*words.split(), "--json"])
    text = output.getvalue()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def missing_fields(
    texts: Mapping[str, str], questions: Mapping[str, list[str]] = QUESTIONS
) -> list[str]:
    """Fields of answers that neither their verb's section nor a page that it links explains."""
    known = sections(texts)
    return [
        f"{ANSWERS} does not tell of {verb} the field {name}"
        for verb, lines in questions.items()
        for name in sorted({name for line in lines for name in fields(answer_of(line))})
        if not name.isdecimal() and name not in known[verb]
    ]


def missing_answers(texts: Mapping[str, str]) -> list[str]:
    """Verbs that answer in JSON without a section on what they answer."""
    known = sections(texts)
    verbs = {entry.name: entry.load() for entry in entry_points(group="knotwork.commands")}
    answering = {
        name for name, verb in verbs.items() if any("--json" in p.opts for p in verb.params)
    }
    return [f"{ANSWERS} has no section of {verb}" for verb in sorted(answering - set(known))]


def undocumented() -> list[str]:
    """All that is left out."""
    texts = pages()
    return [
        *missing_verbs(texts),
        *missing_keys(texts),
        *missing_docstrings(),
        *missing_answers(texts),
        *missing_fields(texts),
    ]
