"""The project's pages and their blocks, for the tests of both."""

import re
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)(?: ([\w.]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SLOW_VERBS = {"simulate", "bitstream", "verify"}


@dataclass(frozen=True)
class Command:
    """Line of a session, and how it is to end."""

    words: list[str]
    comment: str
    output: str | None = None

    @classmethod
    def parse(cls, line):
        """Command that a line spells; two blanks and a # begin its comment."""
        text, _, comment = line.partition("  #")
        text, _, output = text.partition(" > ")
        return cls(shlex.split(text), comment, output.strip() or None)

    @property
    def status(self):
        """Exit status that the comment promises."""
        found = re.search(r"\(exit status (\d)\)", self.comment)
        return int(found[1]) if found else 0

    @property
    def is_slow(self):
        """Whether it is no work for `make test`."""
        built = "simulated" in self.words  # a board that Verilator compiles
        return self.words[1] in SLOW_VERBS or "minute" in self.comment or built


@dataclass(frozen=True)
class Block:
    """Fenced block of a page."""

    page: str
    line: int
    language: str
    file: str | None
    text: str

    @property
    def commands(self):
        """Commands of a session."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [Command.parse(line) for line in lines if line.strip()]

    def __str__(self):
        """Place, for the name of a test."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Page:
    """Page of the project, by its path from the root."""

    path: str

    @cached_property
    def text(self):
        """All of it."""
        return (ROOT / self.path).read_text()

    @cached_property
    def prose(self):
        """What is in no block."""
        return FENCE.sub("", self.text)

    @cached_property
    def blocks(self):
        """Blocks in order."""
        return [
            Block(self.path, self.text.count("\n", 0, found.start()) + 1, *found.groups())
            for found in FENCE.finditer(self.text)
        ]

    def of(self, language):
        """Blocks in a language."""
        return [block for block in self.blocks if block.language == language]


SUBJECTS = [
    Page(str(path.relative_to(ROOT)))
    for folder in ("hdl/docs", "sim/docs", "boards/docs")
    for path in sorted((ROOT / folder).glob("*.md"))
]
OTHERS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "build/README.md"]
PAGES = [*map(Page, [*OTHERS, "tests/quality/README.md"]), *SUBJECTS]
README, CONTRIBUTING = PAGES[:2]
SESSIONS = [block for page in PAGES for block in page.of("sh")]
