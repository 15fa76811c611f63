"""How rules and loops over them are compiled: marked, called by address, and kept on disk.

Only `numba_compiler` imports Numba, when something is compiled.
"""
