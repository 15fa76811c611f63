import math

import numpy as np
import pytest
from knotwork_sim.sweep.laws import Fit, fit_laws


def test_exact_laws_are_found():
    sizes = [4, 8, 16, 32, 64, 128]
    noise = [50.0, 70.0]  # too small to count
    log, power = fit_laws(sizes, noise + [0.25 + 0.5 * math.log2(n) for n in sizes[2:]])
    assert (log.law, power.law) == ("log", "power")
    assert (log.first, log.second, log.r2) == pytest.approx((0.25, 0.5, 1))
    assert 0.9 < power.r2 < 0.9999
    power, log = fit_laws(sizes, noise + [0.75 * n**0.5 for n in sizes[2:]])
    assert (power.law, log.law) == ("power", "log")
    assert (power.first, power.second, power.r2) == pytest.approx((0.75, 0.5, 1))
    assert log.r2 < 0.99
    assert power.at(np.array([256])) == pytest.approx([12])
    assert log.at(np.array([1])) == pytest.approx([log.first])


def test_a_fit_is_that_of_the_measured_table():
    # Section 8.2: (2, 2), (4, 4) and (4, 2), rounded means, and the fits that it gives.
    sizes = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    log = fit_laws(sizes, [2.30, 2.96, 3.52, 4.11, 4.62, 5.09, 5.84, 6.33, 6.83])[0]
    assert (log.law, round(log.r2, 4)) == ("log", 0.9985)
    assert log[1:3] == (pytest.approx(0.11, abs=0.006), pytest.approx(0.565, abs=0.001))
    sizes = [16, 64, 256, 1024, 4096]
    log = fit_laws(sizes, [2.07, 3.16, 4.10, 5.03, 6.08])[0]
    assert (log.law, round(log.r2, 4)) == ("log", 0.9992)
    assert log[1:3] == (pytest.approx(0.13, abs=0.006), pytest.approx(0.495, abs=0.001))
    power = fit_laws(sizes, [3.29, 7.29, 14.4, 28.2, 55.5])[0]
    assert power.law == "power"
    assert power[1:3] == (pytest.approx(0.85, abs=0.006), pytest.approx(0.505, abs=0.001))


def test_two_sizes_are_no_fit():
    assert fit_laws([8, 16, 32], [1, 2, 3]) == ()
    assert fit_laws([16, 16, 16], [1, 2, 3]) == ()
    assert len(fit_laws([16, 32, 64], [1, 2, 3])) == 2


def test_formulas():
    assert Fit("log", -1.234, -0.5, 1.0).formula == "-1.23 - 0.500 log2 N"
    assert Fit("power", 0.5, 0.25, 1.0).as_json() == {"c": 0.5, "e": 0.25, "r2": 1.0}
