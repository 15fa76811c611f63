import click
from click.testing import CliRunner
from knotwork.cli.command import verb
from knotwork.parameters import Integer, parameter


def field(default, **more):
    made = parameter(Integer(1, 9), default=default, **more)
    made.name = "any"
    return made


def test_help_has_keys_examples_and_what_is_written():
    keys = {
        "depth": field(4, help="flits per buffer"),
        "packets": field(None, help="of the network (default 1000)"),
    }

    @verb(
        examples=["build hypercube n=3", "build hypercube n=3 " + 8 * "data_width=64 "],
        writes="A file, build.txt.",
        keys={"Keys of the build": lambda: keys},
    )
    @click.option("--json", is_flag=True, help="Answer in JSON.")
    def build(json):
        """Build it."""

    shown = CliRunner().invoke(build, ["--help"]).output
    parts = shown.split("\n\n")
    assert [part.split("\n")[0] for part in parts] == [
        "Usage: build [OPTIONS]",
        "  Build it.",
        "Options:",
        "Keys of the build:",
        "Examples:",
        "Writes:",
    ]
    assert parts[3].splitlines()[1:] == [
        "  depth=    flits per buffer; an integer in 1..9, default 4",
        "  packets=  of the network (default 1000); an integer in 1..9",
    ]
    assert parts[4].splitlines()[1:] == [f"  knotwork {line}" for line in build.examples]
    assert parts[5].splitlines()[1:] == ["  A file, build.txt."]


def test_keys_are_not_loaded_before_they_are_shown():
    def never():
        raise AssertionError("loaded")

    @verb(keys={"Keys": never})
    def build():
        """Build it."""
        click.echo("built")

    assert CliRunner().invoke(build, []).output == "built\n"
