"""Commands whose arguments are names."""

import click
from click.testing import CliRunner
from quality.names import command_of_names


@command_of_names(["mesh", "wk"])
@click.option("--seeds", default=1)
def measure(names: tuple[str, ...], seeds: int) -> None:
    """Measure some."""
    click.echo(f"{seeds} of {' and '.join(names) or 'all'}")


def told(*words: str) -> tuple[int, str]:
    """Exit status and what is printed."""
    result = CliRunner().invoke(measure, words)
    return result.exit_code, result.output


def test_no_name_is_all():
    assert told() == (0, "1 of all\n")


def test_names_come_in_their_order():
    assert told("wk", "--seeds", "3", "mesh") == (0, "3 of wk and mesh\n")


def test_another_name_is_refused():
    status, text = told("torus")
    assert status == 2 and "'torus' is not one of 'mesh', 'wk'" in text


def test_help_lists_the_names():
    status, text = told("--help")
    assert status == 0 and "[NAME]..." in text and "NAME is one of mesh, wk." in text
