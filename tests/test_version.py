"""The version, with a commit between releases: where it is found, and where it is told."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import knotwork
import pytest
from knotwork import Hypercube, Network, version
from knotwork.builds.compilation import digest
from knotwork.cli import main
from knotwork.emit import source, verilog
from knotwork.emit.package import network_files
from knotwork.version import RELEASE, installed_version, public, source_version, unstamped

COMMIT = "0123456789abcdef" * 2 + "01234567"
OTHER = "fedcba9876543210" * 2 + "fedcba98"

by_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to compare with")


@pytest.fixture
def write(tmp_path):
    """Write files of a folder by their names."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "root"

    return write


FOUND = {
    "a branch": {"root/.git/HEAD": "ref: refs/heads/a/b\n", "root/.git/refs/heads/a/b": COMMIT},
    "no branch": {"root/.git/HEAD": f"{COMMIT}\n"},
    "packed": {
        "root/.git/HEAD": "ref: refs/heads/b\n",
        "root/.git/packed-refs": f"# pack-refs with: peeled\n{OTHER} refs/heads/a/b\n"
        f"^{OTHER}\n{COMMIT} refs/heads/b\n",
    },
    "a branch newer than what is packed": {
        "root/.git/HEAD": "ref: refs/heads/b\n",
        "root/.git/refs/heads/b": f"{COMMIT}\n",
        "root/.git/packed-refs": f"{OTHER} refs/heads/b\n",
    },
    "a worktree": {
        "root/.git": "gitdir: ../clone/.git/worktrees/w\n",
        "clone/.git/worktrees/w/HEAD": "ref: refs/heads/b\n",
        "clone/.git/worktrees/w/commondir": "../..\n",
        "clone/.git/HEAD": f"{OTHER}\n",
        "clone/.git/refs/heads/b": f"{COMMIT}\n",
    },
    "a submodule": {
        "root/.git": "gitdir: ../clone/.git/modules/m\n",
        "clone/.git/modules/m/HEAD": f"{COMMIT}\n",
    },
}
NOT_FOUND = {
    "no repository": {"root/pyproject.toml": ""},
    "no commit yet": {"root/.git/HEAD": "ref: refs/heads/b\n", "root/.git/refs/x": ""},
    "another kind of store": {"root/.git/HEAD": "ref: refs/heads/.invalid\n"},
    "no commit": {"root/.git/HEAD": "0123\n"},
    "a repository that went": {"root/.git": "gitdir: ../gone\n"},
}


@pytest.mark.parametrize("files", FOUND.values(), ids=list(FOUND))
def test_a_checkout_has_its_commit_without_any_git(write, files, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(version, "RELEASE", "1.2.0.dev0")
    assert source_version(write(files)) == "1.2.0.dev0+0123456789ab"


@pytest.mark.parametrize("files", NOT_FOUND.values(), ids=list(NOT_FOUND))
def test_where_no_commit_is_found_there_is_none(write, files, monkeypatch):
    monkeypatch.setattr(version, "RELEASE", "1.2.0.dev0")
    assert source_version(write(files)) == "1.2.0.dev0"


def test_a_release_has_none_and_an_archive_keeps_its_own(write, monkeypatch):
    root = write(FOUND["no branch"])
    monkeypatch.setattr(version, "_ARCHIVED", OTHER)
    monkeypatch.setattr(version, "RELEASE", "1.2.0.dev0")
    assert source_version(root) == "1.2.0.dev0+fedcba987654"
    monkeypatch.setattr(version, "RELEASE", "1.2.0")
    assert source_version(root) == "1.2.0"


@by_git
def test_git_itself_says_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "RELEASE", "1.2.0.dev0")
    home = {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    people = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER")
              for what in ("NAME", "EMAIL")}  # fmt: skip

    def git(*words, folder="clone"):
        done = subprocess.run(
            ["git", *words],
            cwd=tmp_path / folder,
            env=os.environ | home | people,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def same(folder="clone"):
        return (
            source_version(tmp_path / folder)
            == f"1.2.0.dev0+{git('rev-parse', 'HEAD', folder=folder)[:12]}"
        )

    (tmp_path / "clone").mkdir()
    git("init", "-q", "-b", "some/branch")
    git("commit", "-q", "--allow-empty", "-m", "first")
    assert same()
    git("commit", "-q", "--allow-empty", "-m", "second")
    git("pack-refs", "--all")
    assert same()
    git("worktree", "add", "-q", "-b", "beside", "../beside", "HEAD~1")
    assert same("beside")
    git("checkout", "-q", "--detach", "HEAD~1")
    assert same()
    (tmp_path / "clone/version.py").write_text(Path(version.__file__).read_text())
    (tmp_path / "clone/.gitattributes").write_text("version.py export-subst\n")
    git("add", "-A")
    git("commit", "-q", "-m", "third")
    git("archive", "-o", "../archive.tar", "HEAD")
    shutil.unpack_archive(tmp_path / "archive.tar", tmp_path / "archive")
    script = "import version; print(version.source_version())"
    words = [sys.executable, "-c", script]
    done = subprocess.run(
        words, cwd=tmp_path / "archive", capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"{RELEASE}+{git('rev-parse', 'HEAD')[:12]}"


def test_command_header_manifest_and_core_say_the_same(capsys):
    here = installed_version()
    assert knotwork.__version__ == here
    assert main.run(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"knotwork {here}, Python ")
    files = network_files(Network(Hypercube(n=1), data_width=8, buffer_depth=2)).generated
    assert json.loads(files["manifest.json"])["version"] == here
    name = next(file.removesuffix(".v") for file in files if file.endswith(".v"))
    for file, text in files.items():
        assert file == "manifest.json" or f"Generated by Knotwork {here}; do not edit." in text
    assert f"name: knotwork:noc:{name}:{public(here)}\n" in files[f"{name}.core"]


def test_what_is_kept_by_its_content_is_the_same_in_every_version(monkeypatch):
    network = Network(Hypercube(n=1), data_width=8, buffer_depth=2)
    texts = []
    for here in ("0.3.0.dev0+0123456789ab", "1.0.0"):
        monkeypatch.setattr(source, "__version__", here)
        verilog._source.cache_clear()
        texts.append(verilog.network_verilog(network))
        assert f"Generated by Knotwork {here}; do not edit." in texts[-1]
    verilog._source.cache_clear()
    assert texts[0] != texts[1]
    assert unstamped(texts[0]) == unstamped(texts[1])
    assert digest(sorted({"a.v": texts[0]}.items())) == digest(sorted({"a.v": texts[1]}.items()))
    assert digest(texts[0]) != digest(texts[0].replace("endmodule", "endmodule ", 1))
