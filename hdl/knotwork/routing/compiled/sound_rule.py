"""A routing's rule for compiled loops, which index arrays by its answers: so it must be sound."""

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from .checking import CheckedRule, answer_table, check_rule
from .walking import RuleUse

if TYPE_CHECKING:
    from ..rules import Rule


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


class SoundRule:
    """Part of a routing that checks its rule, where that is a user's, before anything follows it.

    Members
    -------
    is_trusted : bool
        Whether rule and topology are Knotwork's own, so that tests show what is checked here.
    """

    name: ClassVar[str]
    topology: Topology
    classes: int
    is_trusted: bool
    rule: "Rule"
    parameters: np.ndarray
    escape_class: int | None
    injection_classes: tuple[int, ...]
    broadcast: object

    @cached_property
    def checked_rule(self) -> CheckedRule:
        """Rule whose walks of all pairs end at their nodes.

        Raises
        ------
        ConfigurationError
            It is not such a rule; see `compiled.checking`.
        """
        if self.is_trusted:
            return CheckedRule(self.rule, self._numbers, None)
        return check_rule(self._use)

    @cached_property
    def answer_table(self) -> np.ndarray:
        """Answers of the rule, int16 of shape (routers, ports, classes, nodes).

        ``8 * output port + class``; -1 where no packet comes.

        Raises
        ------
        ConfigurationError
            There are too many, or the rule is not sound.
        """
        table = self.checked_rule.table
        return answer_table(self._use) if table is None else table

    @property
    def _use(self) -> RuleUse:
        """Rule with all that its check reads."""
        return RuleUse(
            owner=f"{self.topology.name}: routing={self.name}",
            rule=self.rule,
            parameters=self._numbers,
            topology=self.topology,
            classes=self.classes,
            escape=self.escape_class,
            starts=tuple(self.injection_classes),
            is_alone=self.broadcast is None,
        )

    @property
    def _numbers(self) -> np.ndarray:
        """Parameters as compiled rules read them: int64, contiguous."""
        try:
            given = np.asarray(self.parameters)
            if given.dtype.kind in "iub":
                return np.ascontiguousarray(given, np.int64)
        except (TypeError, ValueError, OverflowError):
            pass
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must have an array of integers as its "
            f"parameters, not {type(self.parameters).__name__}"
        )

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
