"""Two states of the project: a revision in a folder of its own, and the one that stands here."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from knotwork.errors import ConfigurationError, ToolError

from . import record

PROJECT = Path(__file__).parents[3]
ROOTS = ("hdl", "sim", "boards")


@dataclass(frozen=True)
class Tree:
    """Sources of a state, and metadata by which its command finds its own verbs."""

    sources: Path  # folder with the roots and ``pyproject.toml``
    metadata: Path  # folder with its entry points, which stand in front of those installed

    @classmethod
    def at(cls, sources: Path, metadata: Path) -> "Tree":
        """Tree of sources; writes its metadata."""
        project = tomllib.loads((sources / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        version = project.get("version", "0")  # its sources say the version, where this does not
        folder = metadata / f"{project['name']}-{version}.dist-info"
        folder.mkdir(parents=True)
        head = f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {version}\n"
        (folder / "METADATA").write_text(head)
        groups = {"console_scripts": project["scripts"], **project["entry-points"]}
        lines = [
            line
            for group, entries in groups.items()
            for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
        ]
        (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
        return cls(sources, metadata)

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which a command of the installed project runs these sources instead."""
        places = [self.metadata, *(self.sources / root for root in ROOTS)]
        return {"PYTHONPATH": os.pathsep.join(map(str, places))}

    def record(self, network: str, engine: str) -> dict[str, Any]:
        """Files and answers of a network, as this tree gives them."""
        environment = os.environ | self.environment
        command = [sys.executable, "-P", record.__file__, network, engine]
        with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
        if done.returncode:
            raise ToolError(f"{self.sources}: {network}: must answer, not {done.stderr.strip()}")
        return json.loads(done.stdout)


def check_out(revision: str, folder: Path) -> None:
    """Write the sources of a revision into a folder."""
    command = ["git", "archive", "--format=tar", revision, *ROOTS, "pyproject.toml"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, check=False)
    if done.returncode:
        raise ConfigurationError(f"unchanged: the revision must be one of git's, not {revision!r}")
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        # Python before 3.11.4 has no filters; from 3.14 on this one is the default.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        archive.extractall(folder)
