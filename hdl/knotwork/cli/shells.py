"""Scripts that make a shell request completions, and the answers that they get.

A shell that requests completions sets ``_KNOTWORK_COMPLETE``; only then is this module imported.
"""

import os
import shlex
from typing import Any, ClassVar

import click
from click.shell_completion import (
    CompletionItem,
    FishComplete,
    ShellComplete,
    add_completion_class,
)

COMPLETION_VARIABLE = "_KNOTWORK_COMPLETE"
"""Variable that a shell sets to request completions."""

_BASH = r"""
%(complete_func)s() {
    local IFS=$'\n' answer kind word
    COMPREPLY=()
    answer=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_BREAKS="$COMP_WORDBREAKS" \
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
    while IFS=, read -r kind word; do
        case $kind in
            file) compopt -o default +o nospace ;;
            dir) compopt -o dirnames +o nospace ;;
            open) COMPREPLY+=("$word") ;;
            plain) COMPREPLY+=("$word ") ;;
        esac
    done <<< "$answer"
}
complete -o nospace -F %(complete_func)s %(prog_name)s
"""

_ZSH = r"""
#compdef %(prog_name)s
%(complete_func)s() {
    local -a whole open
    local kind word
    (( $+commands[%(prog_name)s] )) || return 1
    while IFS=, read -r kind word; do
        case $kind in
            file) _path_files -f ;;
            dir) _path_files -/ ;;
            open) open+=("$word") ;;
            plain) whole+=("$word") ;;
        esac
    done < <(env COMP_LINE="${(j: :)${words[1,CURRENT]}}" %(complete_var)s=zsh_complete \
        %(prog_name)s 2>/dev/null)
    (( $#open )) && compadd -U -S '' -V open -a open
    (( $#whole )) && compadd -U -V whole -a whole
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


class _LineComplete(ShellComplete):
    """Shell that hands over the line up to the cursor.

    bash splits words at the signs = and : that networks are written with, so its own words cannot
    be used.
    """

    def get_completion_args(self) -> tuple[list[str], str]:
        """Words before the one that is completed, and the beginning of that one."""
        line = os.environ.get("COMP_LINE", "")
        try:
            words = shlex.split(line)
        except ValueError:  # an open quote
            words = line.split()
        incomplete = words.pop() if words and not line[-1:].isspace() else ""
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Kind of an item and its word: ``open`` for one that goes on without a blank."""
        kind = (
            "open" if item.type == "plain" and item.value.endswith(("=", ":", "/")) else item.type
        )
        return f"{kind},{item.value}"


class BashComplete(_LineComplete):
    """bash, which replaces only what stands behind the last sign at which it splits words."""

    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = _BASH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Item without what bash takes for earlier words."""
        kind, _, word = super().format_completion(item).partition(",")
        _, incomplete = self.get_completion_args()
        breaks = os.environ.get("COMP_BREAKS", "")
        kept = max((incomplete.rfind(sign) + 1 for sign in "=:" if sign in breaks), default=0)
        return f"{kind},{word[kept:]}"


class ZshComplete(_LineComplete):
    """zsh."""

    name: ClassVar[str] = "zsh"
    source_template: ClassVar[str] = _ZSH


SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,  # adds no blank behind the signs = and : of its own accord
}
"""Shells by name."""


def register() -> None:
    """Have click answer these shells in place of its own."""
    for name, made in SHELLS.items():
        add_completion_class(made, name)


def script(shell: str) -> str:
    """Script that a shell reads to request completions from ``knotwork``."""
    return SHELLS[shell](click.Command("knotwork"), {}, "knotwork", COMPLETION_VARIABLE).source()
