import click
from click.testing import CliRunner
from knotwork_sim.verbs.options import scheduler_option


def test_a_verb_gets_the_address_or_nothing_and_says_what_is_sent():
    @click.command
    @scheduler_option("sets")
    def verb(scheduler):
        click.echo(repr(scheduler))

    def answer(*words):
        return CliRunner().invoke(verb, words).output

    assert answer() == "None\n"
    assert answer("--scheduler", "tcp://a:1") == "'tcp://a:1'\n"
    assert "Send the sets to a Dask cluster" in " ".join(answer("--help").split())
