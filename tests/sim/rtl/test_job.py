"""What a job carries to the simulator."""

import dataclasses

from knotwork_sim.rtl.job import Job


def test_a_job_needs_no_class_of_the_network():
    kinds = {field.name: field.type for field in dataclasses.fields(Job)}
    assert "network" not in kinds
