"""File of a trace, in the form that its ending says."""

from knotwork.files import AnyPath, as_path, write_file
from knotwork.network import Network

from ..check.result import SimulationResult
from .chrome import chrome_trace
from .document import write_page


def write_trace(path: AnyPath, network: Network, result: SimulationResult, *, command: str) -> None:
    """Write the crossings of a simulation, .html as a page and .json as a Chrome trace.

    `command` is the command line that makes the file.
    """
    path = as_path(path, "a trace")
    is_page = path.suffix == ".html"
    text = (write_page if is_page else chrome_trace)(network, result, command=command)
    write_file(path, text)
