"""What Numba compiles to the end, and how it is left."""

import gc

import numpy as np
from knotwork.routing.compiled.calls import part
from knotwork.routing.compiled.native_loop import NativeLoop
from numba import njit
from numba.core.codegen import CPUCodeLibrary


def test_what_python_can_call_is_finished_and_numba_is_left_as_it_was(monkeypatch, tmp_path):
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    before = CPUCodeLibrary._finalize_final_module, CPUCodeLibrary._optimize_final_module
    users = njit(lambda number: number + 1)
    inlined = part(_nrt=False, forceinline=True)(lambda number: users(number) * 2)

    def loop(numbers):
        for place in range(len(numbers)):
            numbers[place] = inlined(numbers[place])
        return users(len(numbers))

    numbers = np.arange(3)
    assert NativeLoop(loop, {"_nrt": False})(numbers) == 4
    assert numbers.tolist() == [2, 4, 6]
    assert users(np.int64(7)) == 8  # compiled by now, for the loop
    assert users(0.5) == 1.5
    assert njit(lambda number: users(number) - 1)(7) == 7
    assert gc.isenabled()
    after = CPUCodeLibrary._finalize_final_module, CPUCodeLibrary._optimize_final_module
    assert after == before


def test_a_negative_index_counts_from_the_end_but_where_it_may_not_occur(monkeypatch, tmp_path):
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))

    def last(numbers, place):
        return numbers[place]

    numbers = np.arange(10)
    assert NativeLoop(last, {"_nrt": False, "wraparound": False})(numbers[5:], -1) == 4
    assert NativeLoop(last, {"_nrt": False})(numbers[5:], -1) == 9
    assert njit(last)(numbers[5:], -1) == 9
