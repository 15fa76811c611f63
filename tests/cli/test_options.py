import click
import pytest
from click.testing import CliRunner, Result
from knotwork.cli.options import split_words, start_work, work_limit
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Work
from knotwork.progress import hide_progress, show_progress


@pytest.mark.parametrize(
    ("words", "net", "others"),
    [
        ("", "", ""),
        ("petersen", "petersen", ""),
        ("wk w=3 levels=2 @01 5", "wk w=3 levels=2", "@01 5"),
        ("my.toml 5 w=3", "my.toml", "5 w=3"),
    ],
)
def test_a_network_s_words_end_at_the_first_without_a_key(words, net, others):
    assert split_words(words.split()) == (net.split(), others.split())


def limited(seconds: float, words: list[str]) -> Result:
    """Outcome of a verb that estimates so many seconds."""

    @click.command()
    @work_limit
    def verb() -> None:
        show_progress()
        try:
            start_work("knit scarf", Work(seconds, 1e6))
        finally:
            hide_progress()

    return CliRunner().invoke(verb, words, standalone_mode=False)


@pytest.mark.parametrize(
    ("seconds", "words", "said"),
    [
        (4, [], ""),
        (6, [], "knotwork: knit scarf takes about 6 s and 1 MB\n"),
        (7000, ["--limit", "2h"], "knotwork: knit scarf takes about 1 h 57 min and 1 MB\n"),
    ],
)
def test_work_of_more_than_a_few_seconds_is_announced(seconds, words, said):
    made = limited(seconds, words)
    assert (made.exception, made.stderr, made.stdout) == (None, said, "")


@pytest.mark.parametrize("words", [[], ["--limit", "11s"]])
def test_work_beyond_the_limit_is_refused(words):
    made = limited(700, words)
    assert isinstance(made.exception, ConfigurationError)
    assert str(made.exception).endswith("takes about 12 min and 1 MB; --limit 15min allows it")
    assert made.stderr == ""
