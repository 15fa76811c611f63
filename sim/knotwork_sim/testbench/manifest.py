"""The manifest beside a network's Verilog, and the network that it describes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import knotwork
from knotwork.emit.manifest import manifest as manifest_of
from knotwork.emit.ports import STATUS_PORT, collective_ports, has_config, status_width
from knotwork.emit.testbench import CONTENTS
from knotwork.errors import ConfigurationError
from knotwork.files import read_json
from knotwork.network import Network
from knotwork.parameters import format_value
from knotwork.routing.network_keys import network_keys
from knotwork.version import public

_HANDSHAKE = {"tvalid": 1, "tready": 1}


@dataclass(frozen=True)
class Manifest:
    """Manifest that fits this version of Knotwork and its own network.

    Members
    -------
    content : mapping
        What the file says.
    network : Network
        Network that it describes.
    where : str
        Name of the file, for messages.
    """

    content: Mapping[str, Any]
    network: Network
    where: str

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        version: str | None = None,
        network: Network | None = None,
    ) -> "Manifest":
        """Manifest in a file.

        Parameters
        ----------
        path : str or Path
            ``manifest.json``, as ``knotwork generate`` writes it.
        version : str, optional
            Version for which the testbench was written; the manifest's must be the same.
        network : Network, optional
            Network for which it was written; needed for one of your own, which the file's words
            do not make again.

        Raises
        ------
        ConfigurationError
            A file that cannot be read, another version, or a network that does not fit it; one line
            that says which.
        """
        path = Path(path)
        content = _read(path)
        require_version(path, content.get("version"), version)
        found = cls(content, network or _network(path, content), str(path))
        found._require_network()
        return found

    def _require_network(self) -> None:
        """Refuse a manifest whose entries are not those of its network."""
        expected = json.loads(json.dumps(manifest_of(self.network)))
        expected["version"] = self.content.get("version")  # already checked
        expected["files"] = _verilog_files(self.content, self.where)
        for key in dict.fromkeys([*expected, *self.content]):
            if self.content.get(key) != expected.get(key):
                raise ConfigurationError(
                    f"{self.where}: {key} must be that of {self.network.name}, "
                    f"{_short(expected.get(key))}, not {_short(self.content.get(key))}"
                )

    def ports(self) -> Iterator[tuple[str, int]]:
        """Name and bits of every port of the design."""
        yield self.content["clock"]["port"], 1
        yield self.content["reset"]["port"], 1
        widths = self.content["widths"]
        for node in self.content["nodes"]:
            for prefix, side in ((node["inject"], "s_axis"), (node["eject"], "m_axis")):
                for signal, width in (_HANDSHAKE | widths[side]).items():
                    yield f"{prefix}_{signal}", width
            yield node["refused"], 1
        if has_config(self.network):
            stream = self.content["config"]["stream"]
            for signal, width in (_HANDSHAKE | widths[stream]).items():
                yield f"{stream}_{signal}", width
            yield STATUS_PORT, status_width(self.network)
        for ports in collective_ports(self.network):
            yield from ports.items()


def checked_files(path: Path, version: str | None) -> list[Path]:
    """Verilog files of a manifest's folder, of a network or a system, once the rest is checked.

    Raises
    ------
    ConfigurationError
        As of `Manifest.read`.
    """
    content = _read(path)
    if "system" in content:
        require_version(path, content.get("version"), version)
    else:
        Manifest.read(path, version=version)
    return [path.parent / name for name in _verilog_files(content, str(path))]


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict) or content.get("tool") != "knotwork":
        raise ConfigurationError(f"{path}: must be a manifest that `knotwork generate` wrote")
    return content


def _verilog_files(content: Mapping[str, Any], where: str) -> list[str]:
    """Names of the Verilog files: one, or one per module."""
    found: object = content.get("files")
    files = [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
    top = f"{content.get('top')}.v"
    if files != found or top not in files:
        raise ConfigurationError(
            f"{where}: files must be names of Verilog files, one of them {top}, not {_short(found)}"
        )
    return files


def require_version(path: Path, found: object, made_for: str | None) -> None:
    """Refuse a manifest of another version than the testbench or this Knotwork.

    Commits between releases count as one: the testbench is the user's own, and stays.

    Raises
    ------
    ConfigurationError
        Names both versions.
    """
    version = public(str(found))
    if made_for is not None and version != public(made_for):
        raise ConfigurationError(
            f"{path}: version must be {made_for}, for which this testbench was written, not {found}"
        )
    if version != public(knotwork.__version__):
        raise ConfigurationError(
            f"{path}: version must be {knotwork.__version__}, that of the installed Knotwork, "
            f"not {found}"
        )


def _network(path: Path, content: Mapping[str, Any]) -> Network:
    """Network that the parameters of a manifest make."""
    name, parameters = content.get("network"), content.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise ConfigurationError(f"{path}: network and parameters must be named")
    texts = {
        key: format_value(tuple(value) if isinstance(value, list) else value)
        for key, value in parameters.items()
    }
    texts |= _contents(path, name, texts)
    try:
        return Network.from_texts(name, {"name": content.get("top"), **texts})
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _contents(path: Path, name: str, texts: Mapping[str, object]) -> dict[str, object]:
    """What files held of which the network was made, by key; none where there were none."""
    beside = path.with_name(CONTENTS)
    if not beside.exists():
        return {}
    contents, found = read_json(beside), dict[str, object]()
    try:
        known = network_keys(name, texts.get("routing"), texts.get("router"))
        for key, content in contents.items():
            found[key] = known[key].metadata["kind"].content_class.from_dict(content)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ConfigurationError(
            f"{beside}: it must be what knotwork generate --testbench wrote, not another file"
        ) from None
    return found


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
