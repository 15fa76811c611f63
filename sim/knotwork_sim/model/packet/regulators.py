"""Golden model of the regulators of injection (`gateware.adapters.regulator`)."""

import numpy as np
from knotwork.network import Network

from ...compiled import part

REGULATOR = np.dtype(
    [
        ("gain", np.int64),
        ("cost", np.int64),
        ("full", np.int64),
        ("missing", np.int64),
        ("since", np.int64),
    ]
)
"""Regulator of a node: what comes in a cycle, what a beat takes and what the bucket holds, in parts
of a token, `cost` 0 without a regulator; what was missing in cycle `since`."""


def make_regulators(network: Network) -> np.ndarray:
    """Regulators of all nodes, `REGULATOR`; empty where there is none."""
    limits = network.injection_limits
    if not any(limits):
        return np.zeros(0, REGULATOR)
    regulators = np.zeros((len(limits), network.topology.nodes // len(limits)), REGULATOR)
    for row, limit in zip(regulators, limits, strict=True):
        if limit is not None:
            row["gain"], row["cost"] = limit.rate.numerator, limit.rate.denominator
            row["full"] = limit.burst * limit.rate.denominator
    return regulators.ravel()


@part
def _missing(regulator, clock):
    """What is missing in the bucket in a cycle."""
    return max(0, regulator.missing - regulator.gain * (clock - regulator.since))


@part
def is_held(regulators, node, beat, clock):
    """Whether a node's regulator holds back the beat that its source offers."""
    if len(regulators) == 0 or regulators[node].cost == 0:
        return False
    missing = _missing(regulators[node], clock)
    if beat == 0:
        return missing > 0
    return missing > regulators[node].full - regulators[node].cost


@part
def pass_beat(regulators, node, clock):
    """Take the token of a beat that goes through a node's regulator."""
    if len(regulators) > 0 and regulators[node].cost > 0:
        regulator = regulators[node]
        regulator.missing = _missing(regulator, clock) + regulator.cost
        regulator.since = clock
