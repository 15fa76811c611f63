"""A cocotb testbench as files of the user's own: tests, a script that runs them, a Makefile."""

from .files import contents_files, testbench_files

__all__ = ["contents_files", "testbench_files"]
