import json

import pytest
from knotwork import Network
from knotwork_sim.check.simulate import simulate
from knotwork_sim.trace import write_trace
from knotwork_sim.traffic.keys import Traffic


@pytest.mark.parametrize("ending", [".html", ".json"])
def test_the_ending_says_the_form(ending, tmp_path):
    network, path = Network.from_word("hypercube:n=2"), tmp_path / f"a{ending}"
    result = simulate(network, Traffic(packets=9), engine="model", trace_file=path)
    assert not path.exists()
    write_trace(path, network, result, command="knotwork simulate")
    text = path.read_text()
    assert text.startswith("<!DOCTYPE html>" if ending == ".html" else "{")
    assert ending == ".html" or json.loads(text)["otherData"]["command"] == "knotwork simulate"
