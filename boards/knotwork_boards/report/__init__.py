"""Report of a build: who takes which cells and where, and the critical path in words."""

from .files import PAGE, report_files, require_folder

__all__ = ["PAGE", "report_files", "require_folder"]
