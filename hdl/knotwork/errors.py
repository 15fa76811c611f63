"""Exceptions whose one line is all that a user needs to read."""


class KnotworkError(Exception):
    """An expected failure, reported in one line; the commands print it and exit with `status`."""

    status = 2


class ConfigurationError(KnotworkError, ValueError):
    """A name, key, value or combination that cannot work: the thing, the rule, the value."""


class DeadlockError(ConfigurationError):
    """A network whose routing can deadlock, where a deadlock-free one is required."""


class ToolError(KnotworkError, RuntimeError):
    """An outside tool that is missing or failed: the tool, what it said, what to do."""


class CheckFailedError(KnotworkError):
    """A check or a simulation that ran and found a fault."""

    status = 1
