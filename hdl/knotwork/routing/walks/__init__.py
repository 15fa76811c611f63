"""What packets do on their ways, found by following the rule for many pairs of nodes.

The modules here prepare the arrays and read the results. The loops themselves are in `loops`, which
Numba compiles; it is imported when something is walked, and not before.
"""
