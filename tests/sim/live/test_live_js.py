"""`live.js` in Node: what a page calls, and what it is told."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.live_run import LiveRun
from knotwork.network import Network
from knotwork_sim import live as room
from knotwork_sim.live.module import live_module

SCRIPT = Path(room.__file__).with_name("live.js")
NODE = shutil.which("node")

PAGE = """
const KnotworkLive = require(%s);
const [packed, description] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const refused = (action) => {
  try { action(); return ""; } catch (error) { return error.message; }
};
KnotworkLive.unpack(packed, description).then((network) => {
  network.configure({ rate: 0.25, pattern: "complement", length: 2, seed: 4000000000 });
  const offered = network.offer(0, 2, 5, 30);
  const done = network.run(400);
  const told = { offered, done, stats: network.stats, deliveries: network.deliveries,
                 occupancy: Array.from(network.occupancy), cycles: network.cycles };
  told.refused = [
    refused(() => network.configure({ pattern: "nowhere" })),
    refused(() => network.configure({ rate: 1.5 })),
    refused(() => network.configure({ length: 0 })),
    refused(() => network.offer(4, 0)),
  ];
  network.reset();
  told.anew = network.stats.cycles;
  console.log(JSON.stringify(told));
});
"""


@pytest.fixture(scope="module")
def live():
    return live_module(Network.from_word("hypercube:n=2"))


@pytest.fixture(scope="module")
def told(live):
    if NODE is None:
        pytest.skip("node must be installed to run live.js")
    page = PAGE % json.dumps(str(SCRIPT))
    given = json.dumps([live.packed, live.description])
    done = subprocess.run(
        [NODE, "-e", page], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_page_sees_what_the_module_tells(live, told):
    run = LiveRun(live)
    pattern = live.description["patterns"].index("complement")
    run.call("configure", 4_000_000_000, 65536 // 4, pattern, 2)
    assert told["offered"] == (run.call("offer", 0, 2, 5, 30) == 1) is True
    deliveries, occupancy = run.run(400)
    assert told["done"] == told["cycles"] == 400
    assert told["stats"] == run.stats
    assert told["occupancy"] == occupancy.tolist()
    rows = [(d["source"], d["destination"], d["created"], d["arrived"]) for d in told["deliveries"]]
    assert rows == [tuple(row) for row in deliveries.tolist()]
    assert all(d["latency"] == d["arrived"] - d["created"] > 0 for d in told["deliveries"])
    assert any(
        (d["source"], d["destination"], d["created"]) == (0, 2, 30) for d in told["deliveries"]
    )
    assert told["anew"] == 0


def test_a_page_is_told_what_is_wrong(live, told):
    patterns = ", ".join(live.description["patterns"])
    assert told["refused"] == [
        f"pattern must be one of {patterns}, not nowhere",
        "rate must be a number in 0..1, not 1.5",
        "length must be an integer in 1..4096, not 0",
        "source must be an integer in 0..3, not 4",
    ]
