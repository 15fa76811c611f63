"""Verb completion: scripts that make a shell complete the command's words."""

import click

from ..command import verb
from ..options import OneOf

_SHELLS = ("bash", "zsh", "fish")


@verb(
    examples=["completion bash", "completion zsh", "completion fish"],
    writes='The script, on standard output. For every new shell: add eval "$(knotwork completion '
    'bash)" to ~/.bashrc, eval "$(knotwork completion zsh)" to ~/.zshrc behind compinit, or write '
    "that of fish to ~/.config/fish/completions/knotwork.fish.",
)
@click.argument("shell", metavar="SHELL", type=OneOf(_SHELLS))
def completion(shell: str) -> None:
    """Print a script that makes a shell complete knotwork's words.

    SHELL is bash, zsh or fish. The shell then completes verbs, options, networks, keys, their
    values and boards, also within one word: moebius:routing=.
    """
    from ..shells import script

    click.echo(script(shell).strip())
