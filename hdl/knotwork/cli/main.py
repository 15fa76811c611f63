"""Command line: verbs from the entry-point group ``knotwork.cli.networks``, errors in one line."""

import os
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

import click

from .. import __version__
from ..errors import ConfigurationError, KnotworkError, ToolError

INTERRUPTED = 130  # what a shell reports for a command that Ctrl-C ended


class Verbs(click.Group):
    """Group whose commands are entry points; a verb's module is imported when it is asked for."""

    @cached_property
    def entries(self) -> dict[str, EntryPoint]:
        """Entry points by verb, in the order of their declaration."""
        return {entry.name: entry for entry in entry_points(group="knotwork.commands")}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Verb's command; one that tells why where its module cannot be imported."""
        if cmd_name not in self.entries:
            raise ConfigurationError(
                f"a command must be one of {', '.join(self.entries)}, not {cmd_name!r}"
            )
        try:
            return self.entries[cmd_name].load()
        except (ImportError, AttributeError) as error:
            return _unavailable(cmd_name, str(error))


def _unavailable(verb: str, reason: str) -> click.Command:
    def refuse(**_: Any) -> NoReturn:
        raise ToolError(f"{verb}: its module must be importable: {reason}; reinstall knotwork")

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True}
    help_text = f"(not available: {reason})"
    return click.Command(
        verb, callback=refuse, params=[words], help=help_text, context_settings=settings
    )


@click.group(cls=Verbs, invoke_without_command=True)
@click.version_option(__version__, prog_name="knotwork")
@click.pass_context
def cli(context: click.Context) -> None:
    """Generate on-chip networks: Verilog, golden model, testbench, bitstream.

    A network is a name and key=value words (moebius n=4 twist=1), or a .toml file. `knotwork
    networks` lists the names and keys.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line and return its exit status.

    Expected failures are one line on stderr: status 2 for what was asked wrongly, 1 for a check
    that found a fault.
    """
    try:
        status = cli.main(arguments, prog_name="knotwork", standalone_mode=False)
        sys.stdout.flush()
    except KnotworkError as error:
        return _complain(str(error), error.status)
    except click.ClickException as error:
        return _complain(_usage(error), 2)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; what is still buffered would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status if isinstance(status, int) else 0


def _usage(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return message if context is None else f"{message}; see {context.command_path} --help"


def _complain(message: str, status: int) -> int:
    print("knotwork: error:", " ".join(message.splitlines()), file=sys.stderr)
    return status


def main() -> NoReturn:
    """Entry point of the ``knotwork`` command."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # a terminal without Unicode shows ?, not a traceback
    sys.exit(run())
