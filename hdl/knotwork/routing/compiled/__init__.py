"""How rules and loops over them are compiled: marked, called by address, and kept on disk.

`compilable` marks functions without importing Numba; only `calls` imports it.
"""
