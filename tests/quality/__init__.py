"""What checks the project itself: mutation, soak, coverage, benchmarks.

This package lies below tests/ and is not installed; `make` runs its programs with tests/ on the
path. See the targets mutate, soak, coverage, coverage-verilog, bench, bench-hw, bench-saturation
and unchanged.
"""
