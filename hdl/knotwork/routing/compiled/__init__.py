"""How rules and loops over them are compiled: marked, called by address, and kept on disk.

`compilable` and `rule_loop` import no Numba; `calls` and `disk_cache` do.
"""
