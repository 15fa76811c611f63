"""Speed, area and frequency: what `make bench` and `make bench-hw` measure.

`speeds` times the golden model, generation and the command line; `hardware` synthesises and places
routers. Results are tables, and JSON in ``build/bench/``.
"""
