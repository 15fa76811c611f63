"""A routing's rule for compiled loops, which index arrays by its answers: so it must be sound."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ..rules import Rule
from .rule_check import CheckedRule, RuleUse, answer_table, check_rule
from .rule_loop import is_short_walk


class CompiledRule(NamedTuple):
    """Rule as compiled loops take it.

    Members
    -------
    address : int
        See `compiled.calls`.
    parameters : ndarray
        Integers that it reads, int64, contiguous.
    """

    address: int
    parameters: np.ndarray


class PythonRule(NamedTuple):
    """Rule as a `RuleLoop` takes it that runs as plain Python.

    Members
    -------
    rule : Rule
        The function.
    parameters : list of int
        Integers that it reads.
    """

    rule: Rule
    parameters: list[int]


class SoundRule:
    """Part of a routing that checks its rule, where that is a user's, before anything follows it.

    Members
    -------
    is_trusted : bool
        Whether rule and topology are Knotwork's own, so that tests show what is checked here.
    """

    is_trusted: bool

    @property
    def rule_use(self) -> RuleUse:
        """Rule with all that its check reads."""
        raise NotImplementedError

    @cached_property
    def checked_rule(self) -> CheckedRule:
        """Rule whose walks of all pairs end at their nodes.

        Raises
        ------
        ConfigurationError
            It is not such a rule; see `compiled.rule_check`.
        """
        if self.is_trusted:
            return CheckedRule(self.rule_use.rule, self.rule_use.parameters, None)
        return check_rule(self.rule_use)

    @cached_property
    def answer_table(self) -> np.ndarray:
        """Answers of the rule, int16 of shape (routers, ports, rule classes, nodes).

        ``8 * output port + class``; -1 where no packet comes.

        Raises
        ------
        ConfigurationError
            There are too many, or the rule is not sound.
        """
        table = self.checked_rule.table
        return answer_table(self.rule_use) if table is None else table

    def require_sound(self) -> None:
        """Refuse a rule by which a packet does not reach its node."""
        if not self.is_trusted:
            self.checked_rule  # noqa: B018 # pyright: ignore[reportUnusedExpression]

    @cached_property
    def compiled_rule(self) -> CompiledRule:
        """Rule for compiled loops, which index arrays by its answers; checked if it is a user's."""
        from .calls import rule_address

        checked = self.checked_rule
        return CompiledRule(rule_address(checked.rule), checked.parameters)

    @cached_property
    def loop_rule(self) -> "CompiledRule | PythonRule":
        """Rule for a `RuleLoop`: its Python function where walks are short, else compiled.

        A user's rule was compiled to be checked.
        """
        use = self.rule_use
        if self.is_trusted and is_short_walk(use.topology, use.classes, use.numbers):
            return PythonRule(use.rule, use.parameters.tolist())
        return self.compiled_rule


def as_numbers(parameters: object, owner: str) -> np.ndarray:
    """Parameters as compiled rules read them: int64, contiguous.

    Raises
    ------
    ConfigurationError
        They are no integers.
    """
    try:
        given = np.asarray(parameters)
        if given.dtype.kind in "iub":
            return np.ascontiguousarray(given, np.int64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ConfigurationError(
        f"{owner} must have an array of integers as its parameters, not {type(parameters).__name__}"
    )
