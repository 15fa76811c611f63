"""Permutations, and the schedules that carry them out.

`permutations` reads and draws permutations; `linear_complement` has the tables of those that are
routed in batches. `rounds` finds rounds of circuits for the least-common-ancestor networks, with
`slots` and `splitting`; `replay` checks them on the links.
"""
