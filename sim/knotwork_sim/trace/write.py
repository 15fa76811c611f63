"""File of a trace, in the form that its ending says."""

from pathlib import Path

from knotwork.files import write_whole
from knotwork.network import Network

from ..check.result import SimulationResult
from .chrome import chrome_trace
from .document import write_page


def write_trace(path: Path, network: Network, result: SimulationResult, *, command: str) -> None:
    """Write the crossings of a simulation, .html as a page and .json as a Chrome trace.

    `command` is the command line that makes the file.
    """
    is_page = path.suffix == ".html"
    text = (write_page if is_page else chrome_trace)(network, result, command=command)
    write_whole(path, text)
