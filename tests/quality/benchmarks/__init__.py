"""TODO benchmarks."""
