"""Output files that appear whole or not at all."""

import os
import tempfile
from pathlib import Path

from .errors import ConfigurationError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all; its folder is made where it is missing.

    The content goes to a temporary file beside `path`, which then takes its name.

    Parameters
    ----------
    path : Path
        File to write, replaced where it exists.
    content : str or bytes
        All of it; text is written as UTF-8, line ends as they are.

    Raises
    ------
    ConfigurationError
        The folder cannot be made or the file cannot be written; nothing is left behind.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:  # after a failure or Ctrl-C; after the replacement there is none
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> ConfigurationError:
    """Refusal of an output path, with the system's reason."""
    reason = error.strerror or str(error)
    if isinstance(error, FileExistsError):  # what `mkdir` says of a file in the way
        reason = f"{path.parent} is no folder"
    return ConfigurationError(f"{path}: the file must be writable: {reason}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
