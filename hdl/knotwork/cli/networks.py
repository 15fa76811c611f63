"""Verbs under their former module, until the command is installed anew."""

from .options import network_words
from .verbs.check import check
from .verbs.compare import compare
from .verbs.describe import describe
from .verbs.draw import draw
from .verbs.export import export
from .verbs.generate import generate
from .verbs.networks import networks
from .verbs.route import route

__all__ = ["check", "compare", "describe", "draw", "export", "generate", "network_words",
           "networks", "route"]  # fmt: skip
