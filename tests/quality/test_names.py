import click
import pytest
from click.testing import CliRunner
from knotwork.errors import CheckFailedError
from quality.names import command_of_names, read_rows, run, tracked, write_rows


@command_of_names(["mesh", "wk"])
@click.option("--seeds", default=1)
def measure(names: tuple[str, ...], seeds: int) -> None:
    """Measure some."""
    if seeds > 9:
        raise CheckFailedError("measure: too many seeds")
    click.echo(f"{seeds} of {' and '.join(tracked(names, 'names')) or 'all'}")


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ("", 0, "1 of all\n"),
        ("wk --seeds 3 mesh", 0, "3 of wk and mesh\n"),
        ("torus", 2, "'torus' is not one of 'mesh', 'wk'"),
        ("--help", 0, "[NAME]..."),
        ("--help", 0, "NAME is one of mesh, wk."),
    ],
)
def test_names_are_chosen_and_listed(words, status, text):
    result = CliRunner().invoke(measure, words.split())
    assert result.exit_code == status
    assert text in result.output


@pytest.mark.parametrize(
    ("words", "status", "line"),
    [("mesh", 0, ""), ("--seeds 10", 1, "measure: error: too many seeds\n")],
)
def test_an_expected_failure_is_one_line(monkeypatch, capsys, words, status, line):
    monkeypatch.setattr("sys.argv", ["measure", *words.split()])
    with pytest.raises(SystemExit) as ended:
        run(measure, "measure")
    assert (ended.value.code or 0) == status
    assert capsys.readouterr().err == line


def test_rows_are_read_as_they_were_written(tmp_path):
    file = tmp_path / "rows.csv"
    assert read_rows(file) == []
    write_rows(file, ("a", "b"), [(1, None), ("x;y", 2.5)], ";")
    assert file.read_text() == 'a;b\n1;\n"x;y";2.5\n'
    assert read_rows(file, ";") == [{"a": "1", "b": ""}, {"a": "x;y", "b": "2.5"}]
