"""Command line: verbs from the entry-point group ``knotwork.commands``, errors in one line."""

import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from functools import cached_property
from typing import NoReturn

import click

from ..entry_points import EntryPoint, entry_points
from ..errors import ConfigurationError, KnotworkError, ToolError
from ..extras import import_hint
from ..interrupts import Interrupted, catch_signals, end_children, ending, ignore_signals
from ..progress import hide_progress, show_progress
from ..wording import did_you_mean, not_one_of
from .command import Verb

_COMPLETES = "_KNOTWORK_COMPLETE"  # what a shell sets to request completions


class _Stopped(BaseException):
    """Way of an `Interrupted`, its cause, past click, which would answer it itself."""


class Verbs(click.Group):
    """Group whose commands are entry points; a verb's module is imported when it is needed."""

    @cached_property
    def entries(self) -> dict[str, EntryPoint]:
        """Entry points by verb, in the order in which the installation lists them."""
        return {entry.name: entry for entry in entry_points(group="knotwork.commands")}

    def invoke(self, ctx: click.Context) -> object:
        """Carry out a verb; click's own word about Ctrl-C, an empty line, is not written."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            hint = import_hint(error)
            if hint is None:
                raise
            raise ToolError(hint) from None
        except KeyboardInterrupt as stop:
            raise _Stopped from stop

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Command of a verb; one that says why where the verb's module cannot be imported."""
        if cmd_name not in self.entries:
            if ctx.resilient_parsing:  # completion of a line that is not yet right
                return None
            raise ConfigurationError(not_one_of("a command", self.entries, cmd_name))
        try:
            return self.entries[cmd_name].load()
        except (ImportError, AttributeError) as error:
            hint = import_hint(error) if isinstance(error, ImportError) else None
            return _unavailable(cmd_name, str(error), hint)


def _unavailable(verb: str, reason: str, hint: str | None) -> click.Command:
    def refuse(**_: object) -> NoReturn:
        rule = f"its module must be importable: {reason}; reinstall knotwork"
        raise ToolError(f"{verb}: {hint or rule}")

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True}
    help_text = f"(not available: {reason})"
    return click.Command(
        verb, callback=refuse, params=[words], help=help_text, context_settings=settings
    )


def _print_versions(context: click.Context, _: click.Parameter, requested: bool) -> None:
    """Print versions and exit, if they are requested; `doctor` finds tools that are no wheels."""
    if not requested or context.resilient_parsing:
        return
    import platform
    from importlib.metadata import requires

    from .. import __version__
    from .checkup import package

    click.echo(f"knotwork {__version__}, Python {platform.python_version()}")
    needed = [line for line in requires("knotwork") or () if "extra ==" not in line]
    for name in sorted(re.split(r"[^\w.-]", line)[0] for line in needed):
        click.echo(f"{name} {package(name, '').version or 'is missing'}")
    context.exit()


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Show the versions of Knotwork and of the packages it needs.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Generate on-chip networks: Verilog, golden model, testbench, bitstream.

    Name a network by its name and key=value words (moebius n=4 twist=1), in one word
    (moebius:n=4,twist=1), or by a .toml file. `knotwork networks` lists the names, `knotwork
    networks NAME` all keys of one network, `knotwork VERB --help` a verb's options and examples.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line and return its exit status.

    An expected failure prints one line on stderr: status 2 for a wrong command line, 1 for a check
    that found a fault, 130 for Ctrl-C.
    """
    if _COMPLETES in os.environ:
        from .shells import register

        register()
    try:
        status = cli.main(
            arguments, prog_name="knotwork", standalone_mode=False, complete_var=_COMPLETES
        )
        sys.stdout.flush()
    except KnotworkError as error:
        stop = ending()  # then the error is that of a tool that the signal ended too
        return _stop(stop) if stop is not None else _complain(str(error), error.status)
    except click.ClickException as error:
        return _complain(_usage(error, sys.argv[1:] if arguments is None else arguments), 2)
    except (_Stopped, click.Abort, KeyboardInterrupt) as stop:
        return _stop(stop.__cause__ or stop)
    except BrokenPipeError:
        # The reader has gone; flushing what is still buffered at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception:
        stop = ending()
        if stop is None:
            raise
        return _stop(stop)  # a library has made another exception of the interruption
    return status if isinstance(status, int) else 0


def _usage(error: click.ClickException, arguments: Sequence[str]) -> str:
    message = error.format_message().rstrip(".")
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return message
    if isinstance(error, click.NoSuchOption):
        known = [name for each in error.ctx.command.get_params(error.ctx) for name in each.opts]
        meant = _key_meant(error, arguments) or did_you_mean(error.option_name, known)
        message = f"No such option: {error.option_name}{meant}"
    return f"{message}; see {error.ctx.command_path} --help"


def _key_meant(error: click.NoSuchOption, arguments: Sequence[str]) -> str:
    """End of a line that refuses a key written as an option: how it is written; or nothing."""
    key = error.option_name.removeprefix("--").replace("-", "_")
    command = error.ctx.command if error.ctx is not None else None
    if not isinstance(command, Verb) or key not in command.all_keys():
        return ""
    words = iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option == error.option_name:
            return f"; write {key}={value if equals else next(words, 'VALUE')}"
    return ""


def _stop(reason: BaseException) -> int:
    """End what a signal has left behind, say so in one line, and return the exit status."""
    stopped = reason if isinstance(reason, Interrupted) else Interrupted(signal.SIGINT)
    hide_progress()
    end_children()
    print(f"knotwork: {stopped}", file=sys.stderr)
    return stopped.status


def _complain(message: str, status: int) -> int:
    """Print one line, without the middle of words that no one reads, and return the status."""
    line = re.sub(r"\S{200,}", lambda word: f"{word[0][:80]}...{word[0][-20:]}", message)
    print("knotwork: error:", " ".join(line.splitlines()), file=sys.stderr)
    return status


def main() -> NoReturn:
    """Carry out the command line of this process; `entry` calls it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode shows ?
    catch_signals()
    show_progress()
    try:
        status = run()
        ignore_signals()
    except KeyboardInterrupt as stop:  # while it was ending anyway
        status = _stop(stop)
    sys.exit(status)
