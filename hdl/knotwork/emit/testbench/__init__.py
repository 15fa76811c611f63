"""A cocotb testbench as files of the user's own: tests, a script that runs them, a Makefile."""

from .files import testbench_files

__all__ = ["testbench_files"]
