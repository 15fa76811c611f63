"""Every flow: its files, and what the core says of them."""

import pytest
import yaml
from helpers.emitted import verilog_of
from knotwork.cli.verbs import generate
from knotwork.emit.flows import FLOWS
from knotwork.emit.flows.core import fusesoc_core

WORDS = ("hypercube:n=2", "ccc:n=3,routing=lc2", "lcan:d=2,u=2,levels=2")


def test_the_verb_offers_every_flow():
    assert tuple(FLOWS) == generate.FLOWS


@pytest.mark.parametrize("name", FLOWS)
@pytest.mark.parametrize("word", WORDS)
def test_the_core_names_the_files_of_a_flow(name, word):
    network, _ = verilog_of(word)
    files = FLOWS[name].files(network)
    assert files
    assert all(text.endswith("\n") for text in files.values())
    assert FLOWS[name].files(network) == files
    parts = FLOWS[name].core
    if parts is None:
        return
    core = yaml.safe_load(fusesoc_core(network, [parts(network)]))
    named = {
        file for fileset in core["filesets"].values() for each in fileset["files"] for file in each
    }
    own = {f"{network.name}.v", f"{network.name}.vlt"}
    assert named - own <= files.keys()
    for target in core["targets"].values():
        assert set(target["filesets"]) <= core["filesets"].keys()


@pytest.mark.parametrize("word", WORDS)
def test_all_flows_go_into_one_core(word):
    network, _ = verilog_of(word)
    parts = [flow.core(network) for flow in FLOWS.values() if flow.core is not None]
    names = [name for part in parts for name in part.filesets]
    assert len(names) == len(set(names))
    assert yaml.safe_load(fusesoc_core(network, parts))["name"].startswith("knotwork:noc:")
