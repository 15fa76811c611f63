"""Speed, area and frequency: what the targets `bench*` of make measure.

`speeds` times the golden model, generation and the command line; `hardware` synthesises and places
routers; `saturation` sweeps networks of them on the golden model. Results are tables, and JSON in
``build/bench/``.
"""
