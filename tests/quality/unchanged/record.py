"""Files and answers of a network, as the tree on the path gives them: a program of its own.

Usage: record.py NETWORK ENGINE, in an empty folder. The command is the one that the tree's metadata
names, so nothing here knows where its modules are. It prints JSON: ``files``, digests by name, and
``answers``, exit status and output of each verb without `LEFT_OUT`.
"""

import contextlib
import hashlib
import io
import json
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

FOLDER = "generated"
PICTURE = "picture.svg"
LEFT_OUT = {"seconds", "help"}
"""Keys of answers that are not compared: measured times, and sentences that may get better."""
NO_NETWORK = "-"
"""Asks for what belongs to no network."""


def run_command(words: list[str]) -> tuple[int, str]:
    """Exit status and output of a command line."""
    (script,) = entry_points(group="console_scripts", name="knotwork")
    output, complaints = io.StringIO(), io.StringIO()
    sys.argv = ["knotwork", *words]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(complaints):
        try:
            status = script.load()()
        except SystemExit as ended:
            status = ended.code
    return int(status or 0), output.getvalue()


def comparable(answer: Any) -> Any:
    """Answer without what is not compared."""
    if isinstance(answer, dict):
        return {key: comparable(value) for key, value in answer.items() if key not in LEFT_OUT}
    return [comparable(value) for value in answer] if isinstance(answer, list) else answer


def read(output: str) -> Any:
    """Answer of an output: of JSON what it says, else the text."""
    try:
        return comparable(json.loads(output))
    except ValueError:
        return output


def questions(words: list[str], nodes: int, engine: str) -> dict[str, list[str]]:
    """Command lines about a network, by name."""
    join_words = ":".join(filter(None, [words[0], ",".join(words[1:])]))
    simulate = ["simulate", *words, "--engine", engine]
    permutation = ["traffic=permutation", "permutation=complement", f"packets={2 * nodes}"]
    return {
        "describe": ["describe", *words],
        "describe --routing": ["describe", *words, "--routing"],
        "route": ["route", *words, "0", str(nodes - 1)],
        "route --table": ["route", *words, "--table"],
        "check": ["check", *words],
        "schedule random": ["schedule", *words, "--permutation", "random"],
        "schedule complement": ["schedule", *words, "--permutation", "complement"],
        "multicast": ["multicast", *words, "0", "1", "3"],
        "broadcast": ["broadcast", *words, "1"],
        "simulate": [*simulate, "packets=300", "rate=0.3", "stall=0.2"],
        "simulate permutation": [*simulate, *permutation],
        "sweep": ["sweep", join_words, "--rates", "0.1:0.3:0.2", "--measure", "1000"],
    }


GENERAL = {
    "networks": ["networks"],
    "boards": ["boards"],
    "compare": [
        "compare",
        "hypercube:n=6",
        "moebius:n=6",
        "wk:w=4,levels=3",
        "lcan:d=4,u=2,levels=3",
    ],
}
"""Command lines about no network or several."""


def record(network: str, engine: str) -> dict[str, Any]:
    """Files that a network's verbs write into this folder, and their answers."""
    words = network.split()
    if network == NO_NETWORK:
        asked = GENERAL
    else:
        nodes = json.loads(run_command(["describe", *words, "--json"])[1])["nodes"]
        asked = {"generate": ["generate", *words, "-o", FOLDER], **questions(words, nodes, engine)}
        run_command(["draw", *words, "-o", PICTURE])
    answers = {}
    for name, line in asked.items():
        status, output = run_command([*line, "--json"])
        answers[name] = [status, read(output)]
    paths = sorted([*Path(FOLDER).glob("*"), *Path().glob(PICTURE)])
    files = {path.name: hashlib.sha256(unversioned(path)).hexdigest() for path in paths}
    return {"files": files, "answers": answers}


def unversioned(path: Path) -> bytes:
    """Content of a file without the version that wrote it, which the manifest tells."""
    content, manifest = path.read_bytes(), path.with_name("manifest.json")
    if not manifest.is_file():
        return content
    version = re.escape(json.loads(manifest.read_text())["version"].encode())
    return re.sub(rb'(Knotwork |"version": "|knotwork:noc:\w+:)' + version, rb"\1", content)


if __name__ == "__main__":
    print(json.dumps(record(*sys.argv[1:])))
